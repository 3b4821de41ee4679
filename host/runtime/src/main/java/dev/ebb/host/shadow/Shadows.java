package dev.ebb.host.shadow;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.lifecycle.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs shadow policies beside a live cache. The active policy is simulated too, to show the
 * accuracy of the estimates. Without shadow policies there is no sampling.
 *
 * <p>All shadow policies count over the same period. Counting restarts when a shadow policy becomes
 * warm or the active policy changes. A shadow policy restarts when its code is replaced.
 */
public final class Shadows implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Shadows.class);

  private static final Duration PAUSE = Duration.ofMillis(200);

  /** The size that is simulated with the highest rate. */
  private static final double SMALLEST_OF_CURVE = 0.25;

  private final PolicySite site;
  private final PolicySource source;
  private final Rates rates;
  private final AtomicLong salts;
  private final CopyOnWriteArrayList<Shadow> running = new CopyOnWriteArrayList<>();
  private final List<AccessSampler> samplers = new ArrayList<>();

  /** What is known of prompts stays when the sampling starts again. */
  private final Map<PolicyPlace, PromptStarts> starts = new HashMap<>();

  /** The partitions that are sampled, each with one of the samplers. */
  private List<PolicyPlace> places = List.of();

  /** How often they had changed when the sampling started. */
  private int startsSeen;

  private List<String> wanted = List.of();
  private double rate;
  private @Nullable Sampling sampling;
  private @Nullable Ticker watch;
  private String active = "";
  private int epoch;
  private boolean counting;
  private @Nullable Instant since;

  /**
   * Creates an instance without shadow policies.
   *
   * @param rate the share of keys to sample, above 0 and at most 1; 0 to choose automatically
   */
  public Shadows(PolicySite site, PolicySource source, double rate, long seed) {
    this(site, source, rate, Rates.CANDIDATES, seed);
  }

  Shadows(PolicySite site, PolicySource source, double rate, Rates rates, long seed) {
    this.site = site;
    this.source = source;
    this.rate = rate;
    this.rates = rates;
    salts = new AtomicLong(seed);
  }

  /**
   * A snapshot of the shadow policies.
   *
   * @param rate the share of keys that is sampled, 0 if nothing is
   * @param since when counting began; null while it has not
   * @param candidates the active policy first, then the others by hit ratio, best first
   */
  public record Report(
      double rate,
      @Nullable Instant since,
      String active,
      long capacityBytes,
      List<ShadowReport> candidates) {

    public Report {
      candidates = List.copyOf(candidates);
    }
  }

  /**
   * Sets the shadow policies. Existing ones keep running.
   *
   * @param policies as an operator writes them, see {@link ShadowSpec}
   * @param newRate the share of keys to sample, above 0 and at most 1; 0 to choose automatically; a
   *     different rate restarts all shadow policies
   */
  public synchronized void set(List<String> policies, double newRate) {
    List<String> before = wanted;
    wanted = List.copyOf(new LinkedHashSet<>(policies));
    if (rates == Rates.CANDIDATES && (newRate != rate || !wanted.equals(before))) {
      warnOfHeap(newRate);
    }
    if (newRate != rate) {
      stopAll();
      rate = newRate;
    }
    follow();
  }

  private void warnOfHeap(double newRate) {
    List<ShadowSpec> specs = wanted.stream().map(Shadows::spec).toList();
    String warning = ShadowHeap.warning(specs, newRate, Runtime.getRuntime().maxMemory());
    if (warning != null) {
      LOG.warn("shadow policies may exhaust the heap reason=\"{}\"", warning);
    }
  }

  /** Restarts all shadow policies after a change to the live cache. */
  public synchronized void restart() {
    stopAll();
    follow();
  }

  public synchronized Report report() {
    List<ShadowReport> reports = new ArrayList<>();
    for (Shadow shadow : running) {
      reports.add(shadow.report(shadow.name().equals(active), counting ? epoch : 0));
    }
    reports.sort(
        Comparator.comparingInt((ShadowReport each) -> each.active() ? 0 : 1)
            .thenComparingDouble(Shadows::misses));
    Sampling now = sampling;
    long capacity = site.places().stream().mapToLong(PolicyPlace::capacityBytes).sum();
    return new Report(now == null ? 0 : now.rate(), since, site.policy(), capacity, reports);
  }

  static ShadowSpec spec(String policy) {
    return ShadowSpec.parse(policy, ShadowConfig.POLICIES.path());
  }

  private static double misses(ShadowReport report) {
    Estimate estimate = report.estimate();
    return estimate == null ? 1 : 1 - estimate.hitRatio();
  }

  private void follow() {
    active = site.policy();
    Set<String> names = new LinkedHashSet<>();
    if (!wanted.isEmpty()) {
      names.add(active);
      wanted.forEach(each -> names.add(spec(each).withActive(active)));
    }
    for (Shadow shadow : running) {
      if (!names.contains(shadow.name())) {
        shadow.stop();
        running.remove(shadow);
      }
    }
    if (names.isEmpty()) {
      stopAll();
      return;
    }
    names.removeIf(name -> running.stream().anyMatch(shadow -> shadow.name().equals(name)));
    if (!names.isEmpty()) {
      counting = false;
      since = null;
      listen();
      names.forEach(this::start);
    }
  }

  private void listen() {
    if (sampling != null) {
      return;
    }
    places = List.copyOf(site.places());
    starts.keySet().retainAll(places);
    places.forEach(place -> starts.computeIfAbsent(place, any -> new PromptStarts()));
    long salt = new SplittableRandom(salts.getAndIncrement()).nextLong() | 1;
    Sampling chosen = new Sampling(rate > 0 ? rate : rates.fitting(places), salt);
    sampling = chosen;
    Sampling widest = chosen.at(rateOf(chosen, SMALLEST_OF_CURVE));
    epoch = 0;
    startsSeen = startsChanges();
    for (PolicyPlace place : places) {
      AccessSampler sampler =
          new AccessSampler(
              samplers.size(),
              widest,
              requireNonNull(starts.get(place)),
              site.clock(),
              this::distribute);
      samplers.add(sampler);
      place.add(sampler);
    }
    watch = new Ticker("ebb-shadow-watch", PAUSE, this::look);
  }

  private void start(String name) {
    Sampling all = requireNonNull(sampling);
    double memory = spec(name).memory();
    Sampling chosen = all.at(rateOf(all, memory));
    Shadow shadow =
        new Shadow(name, source, places, site.limits(), chosen, rates.isGrouped(memory));
    // The policy receives the residents first, then all later accesses.
    List<Seeds> residents = new ArrayList<>();
    for (PolicyPlace place : places) {
      residents.add(new Seeds(place, chosen, requireNonNull(starts.get(place))));
    }
    running.add(shadow);
    shadow.start(residents);
    LOG.info("shadow started policy={} rate={}", name, chosen.rate());
  }

  /** Returns the rate for a cache of some size; a configured rate is that of all caches. */
  private double rateOf(Sampling all, double memory) {
    return rate > 0 ? rate : rates.of(all.rate(), memory);
  }

  private void stopAll() {
    running.forEach(Shadow::stop);
    running.clear();
    for (int part = 0; part < samplers.size(); part++) {
      places.get(part).remove(samplers.get(part));
    }
    samplers.clear();
    if (watch != null) {
      watch.close();
      watch = null;
    }
    sampling = null;
    counting = false;
    since = null;
  }

  private void distribute(AccessBatch batch) {
    for (Shadow shadow : running) {
      shadow.offer(batch);
    }
  }

  private synchronized void look() {
    if (sampling == null) {
      return;
    }
    running.forEach(Shadow::look);
    boolean replaced =
        running.removeIf(shadow -> {
          boolean outdated = shadow.isOutdated();
          if (outdated) {
            shadow.stop();
          }
          return outdated;
        });
    if (replaced || !site.policy().equals(active)) {
      counting = false;
      since = null;
      follow();
    }
    Sampling now = sampling;
    if (now != null
        && (!places.equals(site.places())
            || (rate == 0 && rates.isOff(now.rate(), places))
            || startsSeen != startsChanges())) {
      restart();
      return;
    }
    boolean warm = running.stream().allMatch(shadow -> shadow.isOver() || shadow.isWarm());
    if (warm && !counting && !running.isEmpty()) {
      counting = true;
      epoch++;
      since = Instant.now();
    }
    flush();
  }

  /** Returns how often the chunks have changed that many prompts share. */
  private int startsChanges() {
    int changes = 0;
    for (PolicyPlace place : places) {
      changes += place.locked(requireNonNull(starts.get(place))::changes);
    }
    return changes;
  }

  private void flush() {
    int next = epoch;
    for (int part = 0; part < samplers.size(); part++) {
      AccessSampler sampler = samplers.get(part);
      places.get(part).locked(() -> sampler.flush(next));
    }
  }

  @Override
  public synchronized void close() {
    wanted = List.of();
    stopAll();
  }
}

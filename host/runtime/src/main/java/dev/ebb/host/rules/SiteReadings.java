package dev.ebb.host.rules;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.config.rules.RuleSignal;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Reads the watched values of a site: current values, or values of the last ten seconds. */
final class SiteReadings implements Readings {

  private static final long WINDOW = Duration.ofSeconds(10).toNanos();

  /** The minimum number of requests for a meaningful ratio. */
  private static final long FEW = 100;

  private final PolicySite site;
  private final MemoryMonitor memory;
  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long nanos, SiteUse use) {

    long requested(RuleConfig rule) {
      Map<String, Long> byName =
          rule.when() == RuleSignal.MODEL_SHARE ? use.models() : use.tenants();
      return byName.getOrDefault(String.valueOf(rule.of()), 0L);
    }
  }

  SiteReadings(PolicySite site, MemoryMonitor memory) {
    this.site = site;
    this.memory = memory;
  }

  @Override
  public void check(List<RuleConfig> rules) {
    List<String> parts = site.placeNames();
    UserError.throwIfAny(
        rules.stream()
            .filter(rule -> rule.when() == RuleSignal.OCCUPANCY && rule.of() != null)
            .filter(rule -> !parts.contains(rule.of()))
            .map(rule ->
                "rule '%s' watches the occupancy of '%s', which is not a part of this pool; its parts are %s; leave 'of' out to watch the whole pool"
                    .formatted(rule.name(), rule.of(), parts))
            .toList());
  }

  @Override
  public void take(List<RuleConfig> rules) {
    Sample now = new Sample(site.clock().nanos(), site.use());
    // The counts of a site that has left are gone.
    if (!samples.isEmpty() && now.use().requested() < samples.getLast().use().requested()) {
      samples.clear();
    }
    samples.addLast(now);
    while (now.nanos() - samples.getFirst().nanos() > WINDOW) {
      samples.removeFirst();
    }
  }

  @Override
  public double of(RuleConfig rule) {
    Sample now = samples.getLast();
    Sample before = samples.getFirst();
    long requested = now.use().requested() - before.use().requested();
    return switch (rule.when()) {
      case OCCUPANCY -> occupancy(now.use(), rule);
      case AVAILABLE_MEMORY -> memory.availableBytes();
      case QUEUE_DEPTH -> now.use().waiting();
      case TURNOVER -> turnover(now, before);
      case PREMATURE_EVICTIONS ->
          share(now.use().prematureEvictions() - before.use().prematureEvictions(), requested);
      case PREFIX_HITS ->
          share(
              now.use().prefixHits() - before.use().prefixHits(),
              now.use().prefixLookups() - before.use().prefixLookups());
      case MODEL_SHARE, TENANT_SHARE ->
          share(now.requested(rule) - before.requested(rule), requested);
    };
  }

  /** Returns the occupancy of the pool or of one partition; NaN if there is no such partition. */
  private static double occupancy(SiteUse use, RuleConfig rule) {
    return rule.of() == null
        ? use.whole().occupancy()
        : use.places().stream()
            .filter(place -> place.name().equals(rule.of()))
            .mapToDouble(SiteUse.Place::occupancy)
            .findFirst()
            .orElse(Double.NaN);
  }

  private static double share(long part, long all) {
    return all < FEW ? Double.NaN : (double) part / all;
  }

  private static double turnover(Sample now, Sample before) {
    double seconds = (now.nanos() - before.nanos()) / 1e9;
    long evicted = now.use().evictedBytes() - before.use().evictedBytes();
    return seconds == 0 ? Double.NaN : seconds * now.use().whole().capacityBytes() / evicted;
  }
}

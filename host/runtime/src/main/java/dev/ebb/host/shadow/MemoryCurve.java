package dev.ebb.host.shadow;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratio of the active policy with a quarter to four times the memory of the pool. Shadow
 * policies measure it on a sample of the traffic, from the first eviction on: before that, more
 * memory brings nothing.
 *
 * <p>The ratio with the pool's own memory is counted. What the simulation of that memory is off by
 * is the bias: of a policy that does other things on the thinner prefix tree of a sample, for one.
 * The nearer another size is to the pool's, the more of the bias is taken off its estimate; the
 * rest widens its interval.
 */
public final class MemoryCurve implements AutoCloseable {

  private static final List<String> SIZES =
      List.of("active@0.25x", "active@0.5x", "active@2x", "active@4x");

  /** Pool memory for each sampled entry. All sizes together take 3 KiB of heap for it. */
  private static final long POOL_BYTES_OF_ENTRY = 4 << 20;

  /** More curves are neither shown nor metrics. */
  private static final int MOST_TENANTS = 16;

  private static final long FEWEST_ENTRIES = 1_024;
  private static final long MOST_ENTRIES = 8_192;

  private final PolicySite site;
  private final Shadows shadows;
  private boolean enabled;
  private double rate;
  private boolean running;

  /** Creates a curve that is disabled; {@code seed} decides which keys are sampled. */
  public MemoryCurve(PolicySite site, PolicySource source, long seed) {
    this.site = site;
    long bytes = site.places().stream().mapToLong(PolicyPlace::capacityBytes).sum();
    long entries = Math.clamp(bytes / POOL_BYTES_OF_ENTRY, FEWEST_ENTRIES, MOST_ENTRIES);
    shadows = new Shadows(site, source, 0, new Rates(entries, true), seed);
  }

  /**
   * A snapshot of the curve.
   *
   * @param rate the share of keys that is sampled, 0 if nothing is
   * @param since when counting began; null while it has not
   * @param points by memory, least first; empty until the sample is large enough
   * @param tenants the same for each tenant, those with most accesses first; empty for one tenant
   */
  public record Report(
      double rate,
      @Nullable Instant since,
      String policy,
      long capacityBytes,
      List<Point> points,
      List<Tenant> tenants) {

    public Report {
      points = List.copyOf(points);
      tenants = List.copyOf(tenants);
    }
  }

  /**
   * The hit ratio of a tenant's accesses with other amounts of memory: of its own partition, or of
   * the one that it shares.
   */
  public record Tenant(String name, List<Point> points) {}

  /**
   * The hit ratio with some memory.
   *
   * @param factor how many times the memory of the pool
   * @param hitRatio 0 to 1; chunks of prompts count as prefix hits
   * @param low lower end of the 95 % confidence interval
   */
  public record Point(double factor, double hitRatio, double low, double high) {

    /** Returns a point whose simulation is compared with that of the pool's own memory. */
    static Point of(double factor, Estimate estimate, Estimate own) {
      if (factor == 1) {
        return new Point(1, own.liveHitRatio(), own.liveHitRatio(), own.liveHitRatio());
      }
      // A simulation of all keys, which has no error, has no bias either.
      boolean exact = estimate.high() - estimate.low() < 1e-12;
      double bias = exact ? 0 : own.hitRatio() - own.liveHitRatio();
      double shared = bias * Math.max(0, 1 - Math.abs(Math.log(factor) / Math.log(2)) / 2);
      double doubt = Math.max(Math.abs(shared), Math.abs(bias - shared));
      return new Point(
          factor,
          Math.clamp(estimate.hitRatio() - shared, 0, 1),
          Math.clamp(estimate.low() - shared - doubt, 0, 1),
          Math.clamp(estimate.high() - shared + doubt, 0, 1));
    }
  }

  /**
   * Starts the measurement with the first eviction, or stops it.
   *
   * @param newRate the share of keys to sample; 0 to choose automatically
   */
  public synchronized void enable(boolean enable, double newRate) {
    enabled = enable;
    rate = newRate;
    running &= enable;
    shadows.set(running ? SIZES : List.of(), rate);
  }

  /** Starts the measurement if there have been evictions; must be called about once a second. */
  public synchronized void second() {
    if (enabled && !running && site.use().evictedBytes() > 0) {
      running = true;
      shadows.set(SIZES, rate);
    }
  }

  /** Starts again after a change to the live cache. */
  public synchronized void restart() {
    if (running) {
      shadows.restart();
    }
  }

  public Report report() {
    Shadows.Report now = shadows.report();
    return new Report(
        now.rate(),
        now.since(),
        now.active(),
        now.capacityBytes(),
        points(now.candidates(), ShadowReport::estimate),
        tenants(now.candidates()));
  }

  private static List<Tenant> tenants(List<ShadowReport> sizes) {
    Map<String, Estimate> own =
        sizes.stream()
            .filter(each -> each.active() && each.enough())
            .map(ShadowReport::tenants)
            .findFirst()
            .orElse(Map.of());
    return own.size() < 2
        ? List.of()
        : own.keySet().stream()
            .limit(MOST_TENANTS)
            .map(name -> new Tenant(name, points(sizes, size -> size.tenants().get(name))))
            .toList();
  }

  private static List<Point> points(
      List<ShadowReport> sizes, Function<ShadowReport, @Nullable Estimate> estimate) {
    List<ShadowReport> known =
        sizes.stream().filter(each -> each.enough() && estimate.apply(each) != null).toList();
    Estimate own =
        known.stream().filter(ShadowReport::active).map(estimate).findFirst().orElse(null);
    return own == null
        ? List.of()
        : known.stream()
            .map(each -> Point.of(each.spec().memory(), requireNonNull(estimate.apply(each)), own))
            .sorted(Comparator.comparingDouble(Point::factor))
            .toList();
  }

  @Override
  public void close() {
    shadows.close();
  }
}

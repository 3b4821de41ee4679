package dev.ebb.host.replay.fit;

import dev.ebb.host.replay.fit.ProfileFitter.Fit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The differences between a recorded trace and one generated from its profile.
 *
 * @param lru hit ratios of an LRU cache, at some capacities
 * @param hitRatios the same, at many capacities
 * @param largestHitRatioDifference that of all these capacities with the largest difference
 * @param reuse the share of all block reuses up to a distance, at many distances
 * @param largestReuseDifference the distance with the largest difference
 */
public record FitReport(
    String trace,
    long requests,
    long references,
    long distinctBlocks,
    List<Point> lru,
    Point largestHitRatioDifference,
    Point largestReuseDifference,
    List<Size> sizes,
    List<Point> hitRatios,
    List<Point> reuse) {

  private static final double[] PERCENT = {0.5, 1, 2, 5, 10, 20, 50};

  /** The steps from one number of blocks to twice as many, in a curve. */
  private static final int STEPS = 8;

  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** Two ratios at a capacity or distance. */
  public record Point(long blocks, double recorded, double generated) {

    /** Returns the difference in percentage points. */
    public double difference() {
      return 100 * (generated - recorded);
    }
  }

  /** Three quantiles of a size or time. */
  public record Size(String name, Quantiles recorded, Quantiles generated) {}

  /** The median, and the numbers that 90 % and 99 % do not exceed. */
  public record Quantiles(double p50, double p90, double p99) {

    static Quantiles of(LogHistogram numbers, double unit) {
      return new Quantiles(
          numbers.quantile(0.5) / unit,
          numbers.quantile(0.9) / unit,
          numbers.quantile(0.99) / unit);
    }
  }

  public FitReport {
    lru = List.copyOf(lru);
    sizes = List.copyOf(sizes);
    hitRatios = List.copyOf(hitRatios);
    reuse = List.copyOf(reuse);
  }

  /**
   * Compares two traces.
   *
   * @param trace the name of the recorded one
   */
  public static FitReport of(String trace, Fit recorded, Fit generated) {
    ReuseCurve curve = recorded.curve();
    ReuseCurve other = generated.curve();
    long distinct = curve.distinctBlocks();
    List<Long> grid = grid(distinct);
    List<Point> lru = new ArrayList<>();
    for (double percent : PERCENT) {
      long blocks = Math.max(1, Math.round(distinct * percent / 100));
      lru.add(new Point(blocks, curve.hitRatio(blocks), other.hitRatio(blocks)));
    }
    List<Point> hitRatios =
        grid.stream()
            .map(blocks -> new Point(blocks, curve.hitRatio(blocks), other.hitRatio(blocks)))
            .toList();
    List<Point> reuse =
        grid.stream()
            .map(blocks ->
                new Point(blocks, curve.shareOfReuses(blocks), other.shareOfReuses(blocks)))
            .toList();
    return new FitReport(
        trace,
        recorded.profile().requests(),
        curve.references(),
        distinct,
        lru,
        largest(hitRatios),
        largest(reuse),
        sizes(recorded.profile(), generated.profile()),
        hitRatios,
        reuse);
  }

  /** Returns the report as JSON. */
  public String json() {
    return MAPPER.writeValueAsString(this);
  }

  private static List<Size> sizes(ReuseProfile recorded, ReuseProfile generated) {
    return Stream.of(
            size("prompt blocks", ReuseProfile::promptBlocks, 1, recorded, generated),
            size("shared blocks", ReuseProfile::sharedBlocks, 1, recorded, generated),
            size("new blocks", ReuseProfile::addedBlocks, 1, recorded, generated),
            size("reuse distance, blocks", ReuseProfile::distances, 1, recorded, generated),
            size(
                "reuse time, s", ReuseProfile::reuseMillis, MILLIS_PER_SECOND, recorded, generated),
            size("arrival gap, s", ReuseProfile::gaps, MICROS_PER_SECOND, recorded, generated),
            size("output tokens", ReuseProfile::outputTokens, 1, recorded, generated))
        .filter(size -> !Double.isNaN(size.recorded().p50()))
        .toList();
  }

  private static Size size(
      String name,
      Function<ReuseProfile, LogHistogram> numbers,
      double unit,
      ReuseProfile recorded,
      ReuseProfile generated) {
    return new Size(
        name,
        Quantiles.of(numbers.apply(recorded), unit),
        Quantiles.of(numbers.apply(generated), unit));
  }

  private static List<Long> grid(long distinctBlocks) {
    List<Long> grid = new ArrayList<>();
    for (long blocks = 1; blocks < distinctBlocks; ) {
      grid.add(blocks);
      blocks = Math.max(blocks + 1, Math.round(blocks * Math.pow(2, 1.0 / STEPS)));
    }
    grid.add(distinctBlocks);
    return grid;
  }

  private static Point largest(List<Point> points) {
    return points.stream()
        .max(Comparator.comparingDouble(point -> Math.abs(point.difference())))
        .orElseThrow();
  }
}

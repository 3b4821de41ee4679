package dev.ebb.host.replay;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The spread of a policy's results over several seeds.
 *
 * @param seeds the number of seeds, at least 2
 * @param hitRatio 0 to 1
 * @param tokenHitRatio 0 to 1
 * @param prefillP99 prompt tokens of a request without a prefix hit, -1 if not known
 */
public record SeedSpread(int seeds, Spread hitRatio, Spread tokenHitRatio, Spread prefillP99) {

  static SeedSpread of(List<ReplayResult> runs) {
    return new SeedSpread(
        runs.size(),
        spread(runs, ReplayResult::hitRatio),
        spread(runs, ReplayResult::tokenHitRatio),
        spread(runs, run -> run.prefill().p99()));
  }

  private static Spread spread(List<ReplayResult> runs, ToDoubleFunction<ReplayResult> value) {
    return Spread.of(runs.stream().mapToDouble(value).toArray());
  }

  /** Returns whether the seed makes no difference. */
  public boolean same() {
    return hitRatio.same() && prefillP99.same();
  }

  /**
   * The spread of a number over several runs.
   *
   * @param standardDeviation of the runs as a sample; NaN for fewer than {@link #FEWEST_RUNS},
   *     which say little about it
   */
  public record Spread(double min, double max, double mean, double standardDeviation) {

    /** The fewest runs with a standard deviation. */
    static final int FEWEST_RUNS = 5;

    /**
     * Returns the spread of some values.
     *
     * @param values at least one; NaN if a value is not known
     */
    static Spread of(double... values) {
      double mean = Arrays.stream(values).average().orElse(Double.NaN);
      double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
      return new Spread(
          Arrays.stream(values).min().orElse(Double.NaN),
          Arrays.stream(values).max().orElse(Double.NaN),
          mean,
          values.length < FEWEST_RUNS ? Double.NaN : Math.sqrt(squares / (values.length - 1)));
    }

    /** Returns whether all values were equal. */
    public boolean same() {
      return min == max;
    }
  }
}

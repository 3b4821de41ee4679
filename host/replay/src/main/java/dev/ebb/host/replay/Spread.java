package dev.ebb.host.replay;

import java.util.Arrays;

/**
 * The spread of a number over several runs.
 *
 * @param standardDeviation of the runs as a sample; NaN for fewer than {@link #FEWEST_RUNS}, which
 *     say little about it
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

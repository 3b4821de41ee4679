package dev.ebb.host.statistics;

import java.util.Arrays;

/**
 * The median of the latest samples. Single disturbances, such as garbage collections, hardly change
 * it.
 */
public final class RecentMedian {

  private static final int KEPT = 1 << 13;

  private final double[] kept = new double[KEPT];
  private long taken;

  /** Adds a sample; of more than 8,192 the latest count. */
  public void add(double sample) {
    kept[(int) (taken++ % KEPT)] = sample;
  }

  /** Returns NaN if there are no samples. */
  public double value() {
    int count = (int) Math.min(taken, KEPT);
    if (count == 0) {
      return Double.NaN;
    }
    double[] sorted = Arrays.copyOf(kept, count);
    Arrays.sort(sorted);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  }
}

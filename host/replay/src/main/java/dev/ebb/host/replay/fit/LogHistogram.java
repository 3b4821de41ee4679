package dev.ebb.host.replay.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Counts of numbers from 0, in bins that grow with the number: exact below 16, then 8 bins from one
 * power of two to the next. A <em>step</em> is coarser, for classes of numbers: exact below 4, then
 * 2 steps from one power of two to the next.
 */
final class LogHistogram {

  private static final int EXACT = 16;
  private static final int BINS_PER_POWER = 8;
  private static final int EXACT_STEPS = 4;
  private static final int EXACT_BITS = 4;
  private static final int SUB_BITS = 3;
  private static final int BINS = EXACT + (Long.SIZE - 1 - EXACT_BITS) * BINS_PER_POWER;

  private final long[] counts = new long[BINS];
  private long total;

  void add(long value) {
    add(value, 1);
  }

  void add(long value, long count) {
    counts[bin(value)] += count;
    total += count;
  }

  long total() {
    return total;
  }

  /** Returns the bins that are not empty: the lowest number of each, and its count. */
  List<long[]> bins() {
    List<long[]> bins = new ArrayList<>();
    for (int bin = 0; bin < BINS; bin++) {
      if (counts[bin] > 0) {
        bins.add(new long[] {low(bin), counts[bin]});
      }
    }
    return bins;
  }

  /**
   * Returns the middle of the bin that a share of the numbers does not exceed.
   *
   * @param share 0 to 1
   * @return NaN if it is empty
   */
  double quantile(double share) {
    long wanted = Math.max(1, (long) Math.ceil(share * total));
    long seen = 0;
    for (int bin = 0; bin < BINS; bin++) {
      seen += counts[bin];
      if (seen >= wanted) {
        return low(bin) + (width(bin) - 1) / 2.0;
      }
    }
    return Double.NaN;
  }

  /** Returns the mean, as if each number were in the middle of its bin; NaN if it is empty. */
  double mean() {
    double sum = 0;
    for (int bin = 0; bin < BINS; bin++) {
      sum += counts[bin] * (low(bin) + (width(bin) - 1) / 2.0);
    }
    return sum / total;
  }

  /** Draws a number; each bin in proportion to its count. It must not be empty. */
  long draw(RandomGenerator random) {
    return draw(random, 0, BINS, total);
  }

  /** Draws a number of one step; any of them if none was counted. */
  long draw(RandomGenerator random, int step) {
    long low = lowest(step);
    long end = lowest(step + 1);
    long count = 0;
    for (int bin = bin(low); bin < bin(end); bin++) {
      count += counts[bin];
    }
    return count == 0 ? low + random.nextLong(end - low) : draw(random, bin(low), bin(end), count);
  }

  private long draw(RandomGenerator random, int from, int to, long count) {
    long at = random.nextLong(count);
    int bin = from;
    while (bin < to - 1 && at >= counts[bin]) {
      at -= counts[bin];
      bin++;
    }
    return low(bin) + random.nextLong(width(bin));
  }

  static int step(long value) {
    if (value < EXACT_STEPS) {
      return (int) value;
    }
    int highest = highestBit(value);
    return 2 * highest + (int) (value >> (highest - 1) & 1);
  }

  /** Returns the lowest number of a step. */
  static long lowest(int step) {
    return step < EXACT_STEPS ? step : (2L + (step & 1)) << (step / 2 - 1);
  }

  private static int highestBit(long value) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
  }

  private static int bin(long value) {
    if (value < EXACT) {
      return (int) value;
    }
    int highest = highestBit(value);
    int sub = (int) (value >> (highest - SUB_BITS)) & (BINS_PER_POWER - 1);
    return EXACT + (highest - EXACT_BITS) * BINS_PER_POWER + sub;
  }

  private static long low(int bin) {
    if (bin < EXACT) {
      return bin;
    }
    int highest = (bin - EXACT) / BINS_PER_POWER + EXACT_BITS;
    int sub = (bin - EXACT) % BINS_PER_POWER;
    return (long) (BINS_PER_POWER + sub) << (highest - SUB_BITS);
  }

  private static long width(int bin) {
    return bin < EXACT ? 1 : 1L << ((bin - EXACT) / BINS_PER_POWER + EXACT_BITS - SUB_BITS);
  }
}

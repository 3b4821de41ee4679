package dev.ebb.host.reuse;

import java.util.Arrays;

/**
 * Prefix sums of a growing list of numbers, in O(log n) for a change, a sum and a search (P. M.
 * Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994).
 */
public final class FenwickTree {

  /** Index i covers the numbers behind i - lowestOneBit(i), up to i; the length is 2^k + 1. */
  private long[] sums = new long[(1 << 6) + 1];

  private long total;

  /** Creates an empty list. */
  public FenwickTree() {}

  /** Adds an amount to a number. Numbers that were never changed are 0. */
  public void add(int index, long amount) {
    while (index >= sums.length - 1) {
      grow();
    }
    total += amount;
    for (int i = index + 1; i < sums.length; i += i & -i) {
      sums[i] += amount;
    }
  }

  private void grow() {
    sums = Arrays.copyOf(sums, 2 * (sums.length - 1) + 1);
    sums[sums.length - 1] = total;
  }

  public long total() {
    return total;
  }

  /** Returns the sum of the first numbers. */
  public long sum(int count) {
    long sum = 0;
    for (int i = Math.min(count, sums.length - 1); i > 0; i -= i & -i) {
      sum += sums[i];
    }
    return sum;
  }

  /**
   * Returns the first index up to which the numbers sum to a target or more. No number may be
   * negative.
   *
   * @param target 1 to {@link #total()}
   */
  public int find(long target) {
    int at = 0;
    long left = target;
    for (int step = sums.length - 1; step > 0; step >>= 1) {
      if (at + step < sums.length && sums[at + step] < left) {
        at += step;
        left -= sums[at];
      }
    }
    return at;
  }
}

package dev.ebb.plugin.classic;

import java.util.Arrays;

/**
 * A count-min sketch of four-bit counters, of Cormode and Muthukrishnan (2005), as TinyLFU uses it:
 * four counters for each fingerprint, of which the lowest is the estimate. Counters stop at 15.
 *
 * <p>It has 16 counters, 8 bytes, for each entry it is made for. It grows by doubling: each half of
 * the new table starts as a copy of the old one, so no estimate changes.
 */
final class FrequencySketch {

  private static final int SMALLEST = 1 << 10;
  private static final int LARGEST = 1 << 26;
  private static final int ROWS = 4;
  private static final long[] SEEDS = {
    0xC3A5C85C97CB3127L, 0xB492B66FBE98F273L, 0x9AE16A3B2F90404FL, 0xCBF29CE484222325L
  };
  private static final long LOWER_BITS = 0x7777777777777777L;
  private static final long ONES = 0x1111111111111111L;
  private static final long SAMPLE = 10;

  private long[] table = new long[SMALLEST];
  private long counted;

  /** Makes room for the counters of some number of entries. */
  void ensure(long entries) {
    while (table.length < entries && table.length < LARGEST) {
      int half = table.length;
      table = Arrays.copyOf(table, 2 * half);
      System.arraycopy(table, 0, table, half, half);
    }
  }

  /**
   * Counts a use. After ten for each entry, all counters are halved.
   *
   * @param entries how many the sketch is made for
   */
  void count(long fingerprint, long entries) {
    ensure(entries);
    if (increment(fingerprint) && ++counted >= SAMPLE * entries) {
      counted = (counted - halve() / ROWS) / 2;
    }
  }

  /** Increments the counters of a fingerprint; returns false if all had reached 15. */
  boolean increment(long fingerprint) {
    boolean added = false;
    for (int row = 0; row < ROWS; row++) {
      int shift = shift(fingerprint, row);
      int index = index(fingerprint, row);
      if ((table[index] >>> shift & 15) < 15) {
        table[index] += 1L << shift;
        added = true;
      }
    }
    return added;
  }

  /** Returns an estimate of the number of uses: 0 to 15, too high if others share its counters. */
  int frequency(long fingerprint) {
    int lowest = 15;
    for (int row = 0; row < ROWS; row++) {
      long counters = table[index(fingerprint, row)] >>> shift(fingerprint, row);
      lowest = Math.min(lowest, (int) (counters & 15));
    }
    return lowest;
  }

  /** Halves all counters; returns how many were odd. */
  long halve() {
    long odd = 0;
    for (int i = 0; i < table.length; i++) {
      odd += Long.bitCount(table[i] & ONES);
      table[i] = table[i] >>> 1 & LOWER_BITS;
    }
    return odd;
  }

  private int index(long fingerprint, int row) {
    long hash = fingerprint * SEEDS[row];
    return (int) (hash ^ hash >>> 32) & table.length - 1;
  }

  /** Returns the position of the row's counter among the 16 of a long. */
  private static int shift(long fingerprint, int row) {
    return (int) (fingerprint >>> 60 & 3) * 16 + row * 4;
  }
}

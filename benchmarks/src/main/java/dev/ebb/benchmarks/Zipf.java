package dev.ebb.benchmarks;

import java.util.Arrays;
import java.util.Random;

/**
 * A stream of ranks, popular with exponent 0.9, scattered so that neighbours in rank are not
 * neighbours in memory.
 */
final class Zipf {

  static final int LENGTH = 1 << 20;
  static final int MASK = LENGTH - 1;

  private static final double EXPONENT = 0.9;

  private Zipf() {}

  /** {@link #LENGTH} numbers from 0 to {@code items - 1}. */
  static int[] stream(int items) {
    double[] cumulative = new double[items];
    double sum = 0;
    for (int i = 0; i < items; i++) {
      sum += Math.pow(i + 1, -EXPONENT);
      cumulative[i] = sum;
    }
    Random random = new Random(42);
    int[] scattered = new int[items];
    Arrays.setAll(scattered, i -> i);
    for (int i = items - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swap = scattered[i];
      scattered[i] = scattered[j];
      scattered[j] = swap;
    }
    int[] stream = new int[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      int rank = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
      stream[i] = scattered[Math.min(items - 1, rank < 0 ? -rank - 1 : rank)];
    }
    return stream;
  }
}

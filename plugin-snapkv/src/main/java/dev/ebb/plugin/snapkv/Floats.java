package dev.ebb.plugin.snapkv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads a signal: float32, which need not be aligned. */
final class Floats {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private Floats() {}

  static float at(MemorySegment signal, long index) {
    return signal.get(FLOAT, index * Float.BYTES);
  }

  /**
   * Returns the unbiased variance of values that lie at equal distances.
   *
   * @param step the distance
   * @param count how many; of fewer than 2 it is 0
   */
  static double variance(MemorySegment signal, long first, long step, int count) {
    double mean = 0;
    for (int i = 0; i < count; i++) {
      mean += at(signal, first + i * step) / count;
    }
    double squares = 0;
    for (int i = 0; i < count; i++) {
      double difference = at(signal, first + i * step) - mean;
      squares += difference * difference;
    }
    return count < 2 ? 0 : squares / (count - 1);
  }

  static void copy(MemorySegment signal, float[] out, int count) {
    copy(signal, 0, out, count);
  }

  static void copy(MemorySegment signal, long from, float[] out, int count) {
    MemorySegment.copy(signal, FLOAT, from * Float.BYTES, out, 0, count);
  }

  /** Fills an array with the values from an index on. */
  static void copy(MemorySegment signal, long from, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = at(signal, from + i);
    }
  }
}

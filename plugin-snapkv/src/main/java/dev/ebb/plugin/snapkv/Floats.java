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

  static void copy(MemorySegment signal, float[] out, int count) {
    MemorySegment.copy(signal, FLOAT, 0, out, 0, count);
  }
}

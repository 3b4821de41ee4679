package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;

/**
 * Numbers that others see as a segment. The memory grows with what is asked for and is kept, and so
 * is the segment as long as as many numbers are asked for: in a loop whose steps are alike nothing
 * is allocated.
 */
final class GrowableFloats {

  private float[] numbers = {};
  private float[] shown = numbers;
  private MemorySegment segment = MemorySegment.ofArray(numbers);

  /**
   * Makes room; what was there is lost where there was too little.
   *
   * @param count how many numbers
   * @return at least as many
   */
  float[] of(int count) {
    if (numbers.length < count) {
      numbers = new float[count + count / 4];
    }
    return numbers;
  }

  /** What there is room for. */
  float[] array() {
    return numbers;
  }

  /** The first numbers. */
  MemorySegment first(int count) {
    long bytes = (long) count * Float.BYTES;
    if (segment.byteSize() != bytes || shown != numbers) {
      shown = of(count);
      segment = MemorySegment.ofArray(shown).asSlice(0, bytes);
    }
    return segment;
  }

  /** Some of the numbers; makes a new view unless they are the first. */
  MemorySegment slice(int from, int count) {
    return from == 0
        ? first(count)
        : MemorySegment.ofArray(numbers)
            .asSlice((long) from * Float.BYTES, (long) count * Float.BYTES);
  }
}

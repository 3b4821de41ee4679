package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;

/**
 * A growing float array with a view as a segment. Both are reused as long as the same count is
 * requested, so that a loop of equal steps allocates nothing.
 */
final class GrowableFloats {

  private float[] numbers = {};
  private float[] shown = numbers;
  private MemorySegment segment = MemorySegment.ofArray(numbers);

  /** Makes room for at least as many; the content is lost if there was too little. */
  float[] of(int count) {
    if (numbers.length < count) {
      numbers = new float[count + count / 4];
    }
    return numbers;
  }

  float[] array() {
    return numbers;
  }

  MemorySegment first(int count) {
    long bytes = (long) count * Float.BYTES;
    if (segment.byteSize() != bytes || shown != numbers) {
      shown = of(count);
      segment = MemorySegment.ofArray(shown).asSlice(0, bytes);
    }
    return segment;
  }

  /** Returns a range of the numbers; creates a new view unless it is at the start. */
  MemorySegment slice(int from, int count) {
    return from == 0
        ? first(count)
        : MemorySegment.ofArray(numbers)
            .asSlice((long) from * Float.BYTES, (long) count * Float.BYTES);
  }
}

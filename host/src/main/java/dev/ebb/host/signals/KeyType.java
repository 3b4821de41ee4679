package dev.ebb.host.signals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** How the elements of a key are stored. */
public enum KeyType {
  /** IEEE 754 single precision. */
  FP32(0, Float.BYTES),
  /** IEEE 754 half precision. */
  FP16(1, Short.BYTES),
  /** The upper half of a single. */
  BF16(2, Short.BYTES);

  private final int code;
  private final int bytes;

  KeyType(int code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  /**
   * The number by which kernels know the type.
   *
   * @return 0 or more
   */
  public int code() {
    return code;
  }

  /**
   * The size of one element.
   *
   * @return 2 or 4
   */
  public int bytes() {
    return bytes;
  }

  /**
   * Reads an element.
   *
   * @param memory where the key lies
   * @param offset the element's first byte
   * @return its value
   */
  public float read(MemorySegment memory, long offset) {
    return switch (this) {
      case FP32 -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset);
      case FP16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset));
      case BF16 ->
          Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) << Short.SIZE);
    };
  }

  /**
   * Writes an element, rounded to the nearest value the type has (BF16: towards zero).
   *
   * @param memory where the key lies
   * @param offset the element's first byte
   * @param value what to store
   */
  public void write(MemorySegment memory, long offset, float value) {
    switch (this) {
      case FP32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, value);
      case FP16 ->
          memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, Float.floatToFloat16(value));
      case BF16 ->
          memory.set(
              ValueLayout.JAVA_SHORT_UNALIGNED,
              offset,
              (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
    }
  }
}

package dev.ebb.host.pool;

import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The type of one element of K and V. Types other than the three that Ebb computes with are opaque:
 * Ebb only stores and moves their bytes.
 */
public final class DType {

  /** IEEE 754 single precision. */
  public static final DType FP32 = new DType("fp32", 4, Encoding.SINGLE);

  /** IEEE 754 half precision. */
  public static final DType FP16 = new DType("fp16", 2, Encoding.HALF);

  /** The upper half of single precision. */
  public static final DType BF16 = new DType("bf16", 2, Encoding.UPPER_HALF);

  private static final String OPAQUE = "opaque:";
  private static final int LARGEST_BYTES = 16;
  private static final List<DType> COMPUTABLE = List.of(FP32, FP16, BF16);

  private enum Encoding {
    SINGLE,
    HALF,
    UPPER_HALF,
    UNKNOWN
  }

  private final String name;
  private final int bytes;
  private final Encoding encoding;

  private DType(String name, int bytes, Encoding encoding) {
    this.name = name;
    this.bytes = bytes;
    this.encoding = encoding;
  }

  /**
   * Returns the types that Ebb computes with.
   *
   * @return FP32, FP16 and BF16, in the order by which the kernels number them
   */
  public static List<DType> computable() {
    return COMPUTABLE;
  }

  /**
   * Returns a type that Ebb does not compute with.
   *
   * @param bytes the size of one element, 1 to 16
   */
  public static DType opaque(int bytes) {
    if (bytes < 1 || bytes > LARGEST_BYTES) {
      throw new IllegalArgumentException(
          "element bytes '%d' must be from 1 to %d".formatted(bytes, LARGEST_BYTES));
    }
    return new DType(OPAQUE + bytes, bytes, Encoding.UNKNOWN);
  }

  /**
   * Returns the type's name.
   *
   * @return {@code fp32}, {@code fp16}, {@code bf16} or {@code opaque:<bytes>}
   */
  public String name() {
    return name;
  }

  /** Returns the size of one element: bytes, 1 to 16. */
  public int bytes() {
    return bytes;
  }

  /**
   * Reads an element.
   *
   * @throws UnsupportedOperationException if the type is opaque
   */
  public float read(MemorySegment memory, long offset) {
    return switch (encoding) {
      case SINGLE -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset);
      case HALF -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset));
      case UPPER_HALF ->
          Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) << Short.SIZE);
      case UNKNOWN -> throw opaque();
    };
  }

  /**
   * Reads adjacent elements.
   *
   * @param offset the first byte of the first
   * @param out receives their values
   * @param first the first index in {@code out}
   * @param scratch overwritten; as many elements are read as it has
   * @throws UnsupportedOperationException if the type is opaque
   */
  public void read(MemorySegment memory, long offset, float[] out, int first, short[] scratch) {
    int count = scratch.length;
    if (encoding == Encoding.SINGLE) {
      MemorySegment.copy(memory, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, out, first, count);
      return;
    } else if (encoding == Encoding.UNKNOWN) {
      throw opaque();
    }
    MemorySegment.copy(memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, scratch, 0, count);
    if (encoding == Encoding.HALF) {
      for (int i = 0; i < count; i++) {
        out[first + i] = Float.float16ToFloat(scratch[i]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        out[first + i] = Float.intBitsToFloat(scratch[i] << Short.SIZE);
      }
    }
  }

  /**
   * Writes an element, rounded to the nearest value the type has (BF16: towards zero).
   *
   * @throws UnsupportedOperationException if the type is opaque
   */
  public void write(MemorySegment memory, long offset, float value) {
    switch (encoding) {
      case SINGLE -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, value);
      case HALF ->
          memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, Float.floatToFloat16(value));
      case UPPER_HALF ->
          memory.set(
              ValueLayout.JAVA_SHORT_UNALIGNED,
              offset,
              (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
      case UNKNOWN -> throw opaque();
    }
  }

  private UnsupportedOperationException opaque() {
    return new UnsupportedOperationException(
        "Ebb cannot compute with elements of type '%s'; it only stores and moves them"
            .formatted(name));
  }

  /**
   * Parses a type's name.
   *
   * @throws UserError if it is none of these
   */
  public static DType parse(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    for (DType known : COMPUTABLE) {
      if (known.name.equals(name)) {
        return known;
      }
    }
    if (name.matches("opaque:([1-9]|1[0-6])")) {
      return opaque(Integer.parseInt(name.substring(OPAQUE.length())));
    }
    throw new UserError(
        "dtype '%s'%s must be fp32, fp16, bf16 or opaque:<bytes of one element, 1 to 16>"
            .formatted(
                text, Suggestions.hint(name, COMPUTABLE.stream().map(DType::name).toList())));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DType type && name.equals(type.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}

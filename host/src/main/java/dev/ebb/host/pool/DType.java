package dev.ebb.host.pool;

import dev.ebb.host.errors.Nearest;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Locale;

/**
 * The type of one element of K and V. Types other than the three that Ebb computes with are opaque:
 * bytes that are kept and moved.
 *
 * @param name {@code fp32}, {@code fp16}, {@code bf16} or {@code opaque:<bytes>}
 * @param bytes the size of one element, 1 to 16
 */
public record DType(String name, int bytes) {

  /** IEEE 754 single precision. */
  public static final DType FP32 = new DType("fp32", 4);

  /** IEEE 754 half precision. */
  public static final DType FP16 = new DType("fp16", 2);

  /** The upper half of single precision. */
  public static final DType BF16 = new DType("bf16", 2);

  private static final String OPAQUE = "opaque:";
  private static final List<DType> KNOWN = List.of(FP32, FP16, BF16);

  /** Checks the size. */
  public DType {
    if (bytes < 1 || bytes > 16) {
      throw new IllegalArgumentException(
          "element bytes '%d' must be from 1 to 16".formatted(bytes));
    }
  }

  /**
   * A type that Ebb does not compute with.
   *
   * @param bytes the size of one element, 1 to 16
   * @return the type
   */
  public static DType opaque(int bytes) {
    return new DType(OPAQUE + bytes, bytes);
  }

  /**
   * Reads a type's name.
   *
   * @param text {@code fp32}, {@code fp16}, {@code bf16} or {@code opaque:<bytes>}
   * @return the type
   * @throws UserError if it is none of these
   */
  public static DType parse(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    for (DType known : KNOWN) {
      if (known.name.equals(name)) {
        return known;
      }
    }
    if (name.matches("opaque:([1-9]|1[0-6])")) {
      return opaque(Integer.parseInt(name.substring(OPAQUE.length())));
    }
    throw new UserError(
        "dtype '%s' must be fp32, fp16, bf16 or opaque:<bytes of one element, 1 to 16>%s"
            .formatted(text, Nearest.hint(name, KNOWN.stream().map(DType::name).toList())));
  }
}

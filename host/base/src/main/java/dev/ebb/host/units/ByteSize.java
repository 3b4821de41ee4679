package dev.ebb.host.units;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes, as text. */
public final class ByteSize {

  private static final List<String> BINARY = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB");
  private static final List<String> DECIMAL = List.of("B", "kB", "MB", "GB", "TB", "PB", "EB");
  private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]+)");

  private ByteSize() {}

  /** Parses a size such as {@code 8 GiB}; empty if it is none, no whole bytes, or above 8 EiB. */
  public static OptionalLong parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    String unit = matcher.group(2);
    int binary = indexOf(BINARY, unit);
    int decimal = indexOf(DECIMAL, unit);
    if (binary < 0 && decimal < 0) {
      return OptionalLong.empty();
    }
    BigDecimal factor =
        binary >= 0 ? BigDecimal.valueOf(1L << (10 * binary)) : BigDecimal.TEN.pow(3 * decimal);
    try {
      return OptionalLong.of(number.multiply(factor).longValueExact());
    } catch (ArithmeticException notWholeOrTooLarge) {
      return OptionalLong.empty();
    }
  }

  /** Formats a size in the largest unit in which it is at least 1, such as {@code 1.5 MiB}. */
  public static String format(long bytes) {
    int unit = bytes < 1024 ? 0 : (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    double value = (double) bytes / (1L << (10 * unit));
    String number =
        value == Math.rint(value)
            ? String.format(Locale.ROOT, "%.0f", value)
            : String.format(Locale.ROOT, "%.1f", value);
    return number + " " + BINARY.get(unit);
  }

  /** Formats a size without rounding in the largest possible unit, such as {@code 1536 KiB}. */
  public static String exact(long bytes) {
    int unit = bytes == 0 ? 0 : Long.numberOfTrailingZeros(bytes) / 10;
    return (bytes >> (10 * unit)) + " " + BINARY.get(unit);
  }

  private static int indexOf(List<String> units, String unit) {
    for (int i = 0; i < units.size(); i++) {
      if (units.get(i).equalsIgnoreCase(unit)) {
        return i;
      }
    }
    return -1;
  }
}

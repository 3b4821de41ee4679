package dev.ebb.host.resp.session;

import dev.ebb.host.store.key.Glob;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Arguments as text and numbers, parsed as strictly as in Redis. */
public final class Text {

  private static final long SAFE = Long.MIN_VALUE / 10;
  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

  private static final int MAX_PATTERN = 1 << 10;

  private Text() {}

  /** Parses a pattern. A longer one would take too much time for each key. */
  public static Glob pattern(byte[] bytes, boolean foldCase) throws CommandException {
    if (bytes.length > MAX_PATTERN) {
      throw new CommandException(
          "ERR the pattern has %d bytes, but at most %d are allowed"
              .formatted(bytes.length, MAX_PATTERN));
    }
    return new Glob(bytes, foldCase);
  }

  /** Returns one character for each byte, so that nothing is lost. */
  public static String of(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Returns an argument for a message, up to a NUL, where Redis ends it too. */
  public static String shown(byte[] bytes) {
    return shown(bytes, bytes.length);
  }

  /** Returns the start of an argument for a message. */
  public static String shown(byte[] bytes, int most) {
    int end = 0;
    while (end < Math.min(bytes.length, most) && bytes[end] != 0) {
      end++;
    }
    return of(bytes).substring(0, end);
  }

  /** Parses a cursor as C's {@code strtoul} does: unsigned, with a sign or zeros before it. */
  public static long cursor(byte[] bytes) throws CommandException {
    String text = shown(bytes);
    boolean signed = text.startsWith("-") || text.startsWith("+");
    String digits = signed ? text.substring(1) : text;
    if (text.isEmpty()) {
      return 0;
    }
    try {
      if (digits.isEmpty() || !Character.isDigit(digits.charAt(0))) {
        throw new CommandException("ERR invalid cursor");
      }
      long cursor = Long.parseUnsignedLong(digits);
      return text.startsWith("-") ? -cursor : cursor;
    } catch (NumberFormatException tooLarge) {
      throw new CommandException("ERR invalid cursor");
    }
  }

  public static String upper(byte[] bytes) {
    return of(bytes).toUpperCase(Locale.ROOT);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static long integer(byte[] bytes) throws CommandException {
    return integer(bytes, NOT_AN_INTEGER);
  }

  public static long integer(byte[] bytes, String otherwise) throws CommandException {
    return integer(bytes, 0, bytes.length, otherwise);
  }

  /** Parses a part of the bytes. Strict: no plus, no leading zeros, nothing beyond 64 bits. */
  public static long integer(byte[] bytes, int from, int to, String otherwise)
      throws CommandException {
    boolean negative = from < to && bytes[from] == '-';
    int first = negative ? from + 1 : from;
    int digits = to - first;
    boolean right =
        digits > 0 && digits <= 19 && (bytes[first] != '0' || (digits == 1 && !negative));
    // Negative, because there is one more of these.
    long number = 0;
    for (int i = first; right && i < to; i++) {
      int digit = bytes[i] - '0';
      right =
          digit >= 0
              && digit <= 9
              && (number > SAFE || (number == SAFE && digit <= (negative ? 8 : 7)));
      number = number * 10 - digit;
    }
    if (!right) {
      throw new CommandException(otherwise);
    }
    return negative ? number : -number;
  }
}

package dev.ebb.host.resp;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Arguments as text and numbers, read as strictly as Redis does. */
final class Text {

  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

  private Text() {}

  /** One character for each byte, so that nothing is lost. */
  static String of(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static String upper(byte[] bytes) {
    return of(bytes).toUpperCase(Locale.ROOT);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static long integer(byte[] bytes) throws CommandException {
    return integer(bytes, NOT_AN_INTEGER);
  }

  static long integer(byte[] bytes, String otherwise) throws CommandException {
    String text = of(bytes);
    if (text.length() > 20 || !text.matches("0|-?[1-9][0-9]*")) {
      throw new CommandException(otherwise);
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException outOfRange) {
      throw new CommandException(otherwise);
    }
  }
}

package dev.ebb.host.text;

import dev.ebb.host.units.Percent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A key as people type and read it: text, or {@code hex:} and digits for other bytes. */
public final class KeyText {

  public static final String HELP = "The key: text, or hex: and two digits for each byte";

  public static final String ALLOWED =
      "hex: and two hexadecimal digits for each byte, such as hex:00ff";

  private static final String HEX = "hex:";

  private final byte[] bytes;

  private KeyText(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Parses a key; fails if the text behind {@code hex:} is not {@link #ALLOWED}. */
  public static KeyText parse(String text) {
    return new KeyText(
        text.startsWith(HEX)
            ? HexFormat.of().parseHex(text, HEX.length(), text.length())
            : text.getBytes(StandardCharsets.UTF_8));
  }

  public static KeyText ofDocument(String encoded) {
    return new KeyText(Percent.decode(encoded));
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  public String encoded() {
    return Percent.encode(bytes);
  }

  /** Returns the syntax of {@link #parse}, on one line and without control characters. */
  @Override
  public String toString() {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean plain = text.codePoints().noneMatch(KeyText::isUnprintable);
      if (plain && !text.isEmpty() && !text.startsWith(HEX)) {
        return text;
      }
    } catch (CharacterCodingException binary) {
      // Shown as digits, like a key that is not printable.
    }
    return HEX + HexFormat.of().formatHex(bytes);
  }

  /** Returns whether all characters are ASCII and visible, as a token in an HTTP header must be. */
  public static boolean isVisibleAscii(String text) {
    return text.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /** Returns a text without control characters for a terminal. */
  public static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints().forEach(c -> printable.appendCodePoint(isUnprintable(c) ? '?' : c));
    return printable.toString();
  }

  /**
   * Returns whether it is not printable; directions and invisible signs too would make keys look
   * alike.
   */
  private static boolean isUnprintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}

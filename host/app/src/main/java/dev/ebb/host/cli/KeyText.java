package dev.ebb.host.cli;

import dev.ebb.host.units.Percent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A key as people type and read it: text, or {@code hex:} and digits for other bytes. */
final class KeyText {

  static final String HELP = "The key: text, or hex: and two digits for each byte";

  /** What is allowed, for messages. */
  static final String ALLOWED = "hex: and two hexadecimal digits for each byte, such as hex:00ff";

  private static final String HEX = "hex:";

  private final byte[] bytes;

  private KeyText(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException if what follows {@code hex:} is not {@link #ALLOWED}
   */
  static KeyText parse(String text) {
    return new KeyText(
        text.startsWith(HEX)
            ? HexFormat.of().parseHex(text, HEX.length(), text.length())
            : text.getBytes(StandardCharsets.UTF_8));
  }

  /** A key that stands percent-encoded in a document. */
  static KeyText ofDocument(String encoded) {
    return new KeyText(Percent.decode(encoded));
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /** The key as it stands in a path or a document. */
  String encoded() {
    return Percent.encode(bytes);
  }

  /** What {@link #parse} reads, on one line and without what a terminal would obey. */
  @Override
  public String toString() {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean plain = text.codePoints().noneMatch(KeyText::isUnprintable);
      if (plain && !text.isEmpty() && !text.startsWith(HEX)) {
        return text;
      }
    } catch (CharacterCodingException binary) {
      // Shown as digits, as one that is not fit for a terminal is.
    }
    return HEX + HexFormat.of().formatHex(bytes);
  }

  /** A text from elsewhere, without what a terminal would obey. */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints().forEach(c -> printable.appendCodePoint(isUnprintable(c) ? '?' : c));
    return printable.toString();
  }

  /** Directions and invisible signs too would make one key look like another. */
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

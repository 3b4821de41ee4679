package dev.ebb.host.admin;

import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Converts binary keys to text. */
final class BinaryKeys {

  private BinaryKeys() {}

  /** Returns a key percent-encoded, as in a path. */
  static String encoded(byte[] key) {
    return Percent.encode(key);
  }

  static byte[] decoded(String text) {
    return Percent.decode(text);
  }

  /** Returns a key for messages: plain text if possible, otherwise percent-encoded. */
  static String shown(String encoded) {
    byte[] key = decoded(encoded);
    String text = text(key);
    boolean plain =
        Arrays.equals(text.getBytes(StandardCharsets.UTF_8), key)
            && text.codePoints().noneMatch(c -> Character.isISOControl(c));
    return plain ? text : encoded;
  }

  /** Returns a key for display; invalid text shows as replacement characters. */
  static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}

package dev.ebb.host.admin.entries;

import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Converts binary keys to text. */
public final class BinaryKeys {

  private BinaryKeys() {}

  /** Returns a key percent-encoded, as in a path. */
  public static String encoded(byte[] key) {
    return Percent.encode(key);
  }

  public static byte[] decoded(String text) {
    return Percent.decode(text);
  }

  /** Returns a key for messages: plain text if possible, otherwise percent-encoded. */
  public static String shown(String encoded) {
    byte[] key = decoded(encoded);
    String text = text(key);
    boolean plain =
        Arrays.equals(text.getBytes(StandardCharsets.UTF_8), key)
            && text.codePoints().noneMatch(c -> Character.isISOControl(c));
    return plain ? text : encoded;
  }

  /** Returns a key for display; invalid text shows as replacement characters. */
  public static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}

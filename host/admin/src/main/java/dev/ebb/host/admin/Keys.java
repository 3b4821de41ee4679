package dev.ebb.host.admin;

import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Keys, which are bytes, as text. */
final class Keys {

  private Keys() {}

  /** As it stands in a path, and back in a body: percent-encoded. */
  static String encoded(byte[] key) {
    return Percent.encode(key);
  }

  static byte[] decoded(String text) {
    return Percent.decode(text);
  }

  /** For messages: as it is written where that is plain text, else percent-encoded. */
  static String shown(String encoded) {
    byte[] key = decoded(encoded);
    String text = text(key);
    boolean plain =
        Arrays.equals(text.getBytes(StandardCharsets.UTF_8), key)
            && text.codePoints().noneMatch(c -> Character.isISOControl(c));
    return plain ? text : encoded;
  }

  /** For people: what is no text shows as a replacement sign. */
  static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}

package dev.ebb.host.admin.entries;

import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

public final class BinaryKeys {

  private BinaryKeys() {}

  /** Returns a key for messages: plain text if possible, otherwise percent-encoded. */
  public static String shown(byte[] key) {
    String text = text(key);
    boolean plain =
        Arrays.equals(text.getBytes(StandardCharsets.UTF_8), key)
            && text.codePoints().noneMatch(c -> Character.isISOControl(c));
    return plain ? text : Percent.encode(key);
  }

  /** Returns a key for display; invalid text shows as replacement characters. */
  public static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}

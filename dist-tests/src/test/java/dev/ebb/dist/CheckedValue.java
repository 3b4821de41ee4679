package dev.ebb.dist;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A value that its key, its version and its length determine. */
final class CheckedValue {

  private static final int SHORTEST = 100;

  private CheckedValue() {}

  /** Creates a value of at least 100 bytes. */
  static byte[] of(String key, long version, int length) {
    byte[] head = "%s %d %d ".formatted(key, version, length).getBytes(StandardCharsets.US_ASCII);
    byte[] value = new byte[Math.max(length, SHORTEST)];
    ByteBuffer words = ByteBuffer.wrap(value);
    long word = key.hashCode() * 0x9e3779b97f4a7c15L + version * 31 + length | 1;
    while (words.remaining() >= Long.BYTES) {
      word ^= word << 13;
      word ^= word >>> 7;
      word ^= word << 17;
      words.putLong(word);
    }
    System.arraycopy(head, 0, value, 0, Math.min(head.length, value.length));
    return value;
  }

  /**
   * Returns the version of a value.
   *
   * @throws WrongValue if it was never written under the key
   */
  static long version(String key, byte[] value) {
    String start =
        new String(value, 0, Math.min(value.length, SHORTEST), StandardCharsets.US_ASCII);
    String[] fields = start.split(" ", 4);
    try {
      long version = Long.parseLong(fields[1]);
      byte[] written = of(key, version, Integer.parseInt(fields[2]));
      if (Arrays.equals(written, value)) {
        return version;
      }
      throw new WrongValue(
          "the value of '%s' starts with '%s' and differs at %d of %d bytes"
              .formatted(key, start, Arrays.mismatch(written, value), value.length));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new WrongValue(
          "the value of '%s' starts with '%s'; its length is %d"
              .formatted(key, start, value.length));
    }
  }

  /** A value that no client wrote under its key, or one that is impossible now. */
  static final class WrongValue extends RuntimeException {

    private static final long serialVersionUID = 1;

    WrongValue(String message) {
      super(message);
    }
  }
}

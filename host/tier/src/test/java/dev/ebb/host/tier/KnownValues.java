package dev.ebb.host.tier;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Values that show their key and version, so that any wrong byte is noticed. Each takes a block of
 * its own: for smaller ones, more may be evicted at once than the disk is given.
 */
final class KnownValues {

  private KnownValues() {}

  static byte[] of(String key, int version) {
    SplittableRandom random = new SplittableRandom(31L * key.hashCode() + version);
    byte[] bytes = new byte[33_000 + random.nextInt(31_000)];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(version);
    return bytes;
  }

  /** Returns the version of a value; -1 if there is none. */
  static int version(String key, byte @Nullable [] value) {
    if (value == null) {
      return -1;
    }
    int version = ByteBuffer.wrap(value).getInt();
    if (!Arrays.equals(value, of(key, version))) {
      throw new AssertionError("the bytes of '%s' are wrong".formatted(key));
    }
    return version;
  }
}

package dev.ebb.host.kvevents;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The 64-bit hash that stands for a key in events. It is the chunk hash in a key of LMCache, {@code
 * model@world@worker@hash...}, and otherwise the last 8 bytes of the SHA-256 of the key.
 */
final class BlockHash {

  private static final int MOST_DIGITS = 6;

  private final MessageDigest sha256;

  BlockHash() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** Returns the hash of a key, an unsigned number. */
  long of(byte[] key) {
    int start = hashStart(key);
    int end = start < 0 ? -1 : next(key, start);
    if (end > start && isHex(key, start, end)) {
      return hex(key, start, end);
    }
    byte[] digest = sha256.digest(key);
    return ByteBuffer.wrap(digest).getLong(digest.length - Long.BYTES);
  }

  /** Returns the position of the hash in a key of LMCache, or -1. */
  private static int hashStart(byte[] key) {
    int model = next(key, 0);
    int first = model <= 0 ? -1 : next(key, model + 1);
    int second = first < 0 ? -1 : next(key, first + 1);
    boolean numbers =
        second >= 0 && isNumber(key, model + 1, first) && isNumber(key, first + 1, second);
    return numbers ? second + 1 : -1;
  }

  private static int next(byte[] key, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == '@') {
        return i;
      }
    }
    return -1;
  }

  private static boolean isNumber(byte[] key, int from, int end) {
    boolean number = end > from && end - from <= MOST_DIGITS;
    for (int i = from; number && i < end; i++) {
      number = key[i] >= '0' && key[i] <= '9';
    }
    return number;
  }

  private static boolean isHex(byte[] key, int from, int end) {
    int first = digits(key, from);
    boolean hex = end > first;
    for (int i = first; hex && i < end; i++) {
      hex = Character.digit(key[i], 16) >= 0;
    }
    return hex;
  }

  /** Parses the lower 64 bits of a number; Python writes negative ones with a sign. */
  private static long hex(byte[] key, int from, int end) {
    int first = digits(key, from);
    long value = 0;
    for (int i = first; i < end; i++) {
      value = value << 4 | Character.digit(key[i], 16);
    }
    return first > from ? -value : value;
  }

  private static int digits(byte[] key, int from) {
    return key[from] == '-' ? from + 1 : from;
  }
}

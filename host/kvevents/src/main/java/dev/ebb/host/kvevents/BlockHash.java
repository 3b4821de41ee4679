package dev.ebb.host.kvevents;

import dev.ebb.host.store.key.LabelledKey;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * The 64-bit hash that stands for a key in events. It is the chunk hash in a key of LMCache, the
 * first 16 digits of the page hash in a key of SGLang, and otherwise the last 8 bytes of the
 * SHA-256 of the key.
 */
final class BlockHash {

  /** The digits of a page hash, and those at its start that stand for it. */
  private static final int PAGE_DIGITS = 64;

  private static final int PAGE_START = 16;

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
    return of(key, LabelledKey.parse(key));
  }

  /** Returns all hashes of a key. */
  ChunkId chunk(byte[] key) {
    LabelledKey parts = LabelledKey.parse(key);
    long hash = of(key, parts);
    if (parts == null || parts.hashStart() > 0 || parts.hashEnd() != PAGE_START) {
      return new ChunkId(hash, hash, 0, false);
    }
    int deployment = 1;
    for (int i = parts.modelStart(); i < key.length; i++) {
      deployment = 31 * deployment + key[i];
    }
    return new ChunkId(hash, hex(key, PAGE_DIGITS - PAGE_START, PAGE_DIGITS), deployment, false);
  }

  private long of(byte[] key, @Nullable LabelledKey parts) {
    if (parts != null && isHex(key, parts.hashStart(), parts.hashEnd())) {
      return hex(key, parts.hashStart(), parts.hashEnd());
    }
    byte[] digest = sha256.digest(key);
    return ByteBuffer.wrap(digest).getLong(digest.length - Long.BYTES);
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

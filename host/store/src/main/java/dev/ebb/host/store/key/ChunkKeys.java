package dev.ebb.host.store.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The two keys of a chunk of LMCache, which puts two values for each, under one stem: the chunk's
 * bytes, and metadata about them, which belong to the entry of the bytes.
 */
public final class ChunkKeys {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  // Eight characters each: a key's end is compared as one number.
  private static final long MAIN = word("kv_bytes");
  private static final long METADATA = word("metadata");

  private ChunkKeys() {}

  /** Returns the key of the bytes of the chunk whose metadata a key names; otherwise the key. */
  public static byte[] mainKey(byte[] key) {
    return isMetadata(key) ? withEnd(key, MAIN) : key;
  }

  /**
   * Returns the key of the metadata of a chunk.
   *
   * @param mainKey the key of its bytes
   * @throws IllegalArgumentException if the key is not that of the bytes of a chunk
   */
  public static byte[] metadataKey(byte[] mainKey) {
    if (!hasMetadata(mainKey)) {
      throw new IllegalArgumentException("the key is not that of the bytes of a chunk");
    }
    return withEnd(mainKey, METADATA);
  }

  /** Returns whether a key is that of the metadata of a chunk. */
  public static boolean isMetadata(byte[] key) {
    return end(key) == METADATA;
  }

  /** Returns whether a key is that of the bytes of a chunk that may have metadata. */
  public static boolean hasMetadata(byte[] key) {
    return end(key) == MAIN;
  }

  /**
   * Returns whether a key contains a hash of what its value is computed from, as those of known
   * engines do. Values under such a key are interchangeable.
   */
  public static boolean isContentAddressed(byte[] key) {
    return ChainKeys.AUTO.covers(key);
  }

  /** Returns the length of a key without the suffix of one of a chunk's two. */
  static int stemLength(byte[] key) {
    return isMetadata(key) || hasMetadata(key) ? key.length - Long.BYTES : key.length;
  }

  private static long end(byte[] key) {
    return key.length < Long.BYTES ? 0 : (long) LONGS.get(key, key.length - Long.BYTES);
  }

  private static byte[] withEnd(byte[] key, long end) {
    byte[] other = Arrays.copyOf(key, key.length);
    LONGS.set(other, key.length - Long.BYTES, end);
    return other;
  }

  private static long word(String suffix) {
    return end(suffix.getBytes(StandardCharsets.US_ASCII));
  }
}

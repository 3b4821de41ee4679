package dev.ebb.host.store.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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

  /** Returns the key of the metadata of the chunk with such a key of its bytes. */
  public static byte[] metadataKey(byte[] mainKey) {
    if (!hasMetadata(mainKey)) {
      throw new IllegalArgumentException("the key is not that of the bytes of a chunk");
    }
    return withEnd(mainKey, METADATA);
  }

  public static boolean isMetadata(byte[] key) {
    return end(key) == METADATA;
  }

  /** Returns whether a key is that of the bytes of a chunk that may have metadata. */
  public static boolean hasMetadata(byte[] key) {
    return end(key) == MAIN;
  }

  /**
   * Returns the key of the chunk that a value belongs to: that of the first object group, without
   * the worker; the key itself if its chunk has no other values.
   */
  public static byte[] chunkKey(byte[] key) {
    LabelledKey parts = LabelledKey.parse(key);
    byte[] common = parts == null ? null : parts.common(key, key.length);
    return common == null ? key : common;
  }

  /** Returns how many workers have objects of the chunk of a key; 1 if the key does not tell. */
  public static int ranks(byte[] key) {
    LabelledKey parts = LabelledKey.parse(key);
    return parts == null || !parts.isOfSeveralRanks() ? 1 : parts.world();
  }

  /** Returns the number of the object group that a key names; -1 if it names none. */
  public static int group(byte[] key) {
    LabelledKey parts = LabelledKey.parse(key);
    return parts == null || !parts.isGrouped() ? -1 : parts.group(key);
  }

  /** Returns the key of another object of a chunk; null if the key names no object group. */
  public static byte @Nullable [] objectKey(byte[] key, int group, int rank) {
    LabelledKey parts = LabelledKey.parse(key);
    return parts == null || !parts.isGrouped() ? null : parts.of(key, group, rank);
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

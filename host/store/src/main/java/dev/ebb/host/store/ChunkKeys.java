package dev.ebb.host.store;

/** The two keys of a chunk of LMCache, and other formats of engines' keys. */
public final class ChunkKeys {

  private ChunkKeys() {}

  /** Returns the key of the bytes of the chunk whose metadata a key names; otherwise the key. */
  public static byte[] mainKey(byte[] key) {
    return isMetadata(key) ? KeyRole.ATTACHMENT.as(KeyRole.MAIN, key) : key;
  }

  /**
   * Returns the key of the metadata of a chunk.
   *
   * @param mainKey the key of its bytes
   * @throws IllegalArgumentException if it is not the data key of a chunk
   */
  public static byte[] metadataKey(byte[] mainKey) {
    if (!hasMetadata(mainKey)) {
      throw new IllegalArgumentException("not the data key of a chunk");
    }
    return KeyRole.MAIN.as(KeyRole.ATTACHMENT, mainKey);
  }

  /** Returns whether a key is that of the metadata of a chunk. */
  public static boolean isMetadata(byte[] key) {
    return KeyRole.of(key) == KeyRole.ATTACHMENT;
  }

  /** Returns whether a key is that of the bytes of a chunk that may have metadata. */
  public static boolean hasMetadata(byte[] key) {
    return KeyRole.of(key) == KeyRole.MAIN;
  }

  /**
   * Returns whether a key contains a hash of what its value is computed from, as those of known
   * engines do. Values under such a key are interchangeable.
   */
  public static boolean isContentAddressed(byte[] key) {
    return ChainKeys.AUTO.covers(key);
  }
}

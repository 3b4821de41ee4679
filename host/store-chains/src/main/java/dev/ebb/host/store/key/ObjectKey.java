package dev.ebb.host.store.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A client's key, parsed. Its hash finds the entry, its bytes decide. Immutable. */
public final class ObjectKey {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The difference between the hashes of a chunk's two keys: one hash finds both. */
  private static final long APART = 0x9FB21C651E98DF25L;

  private final byte[] bytes;
  private final KeyLabels labels;
  private final boolean attachment;
  private final boolean main;
  private final boolean chained;
  private final boolean sharded;
  private final long entryLow;
  private final long entryHigh;

  /**
   * Creates a key. Its hash is SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012):
   * keyed, so that outsiders cannot craft keys that collide. The lower half of it is the
   * fingerprint that policies see.
   *
   * @param hashed the text whose first bytes are hashed
   * @param length how many of them
   */
  ObjectKey(
      byte[] bytes,
      KeyLabels labels,
      boolean chained,
      boolean sharded,
      long k0,
      long k1,
      byte[] hashed,
      int length) {
    this.bytes = bytes;
    this.labels = labels;
    attachment = ChunkKeys.isMetadata(bytes);
    main = ChunkKeys.hasMetadata(bytes);
    this.chained = chained;
    this.sharded = sharded;
    long v0 = k0 ^ 0x736F6D6570736575L;
    long v1 = k1 ^ 0x646F72616E646F6DL ^ 0xEE;
    long v2 = k0 ^ 0x6C7967656E657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int whole = length & ~7;
    // Locals, without a method for a round: an object for them would be garbage of each command.
    for (int i = 0; i <= whole; i += 8) {
      long word = i < whole ? (long) LONGS.get(hashed, i) : last(hashed, whole, length);
      v3 ^= word;
      for (int round = 0; round < 2; round++) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
    }
    v2 ^= 0xEE;
    long low = 0;
    for (int round = 0; round < 8; round++) {
      if (round == 4) {
        low = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xDD;
      }
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
    entryLow = low;
    entryHigh = v0 ^ v1 ^ v2 ^ v3;
  }

  private static long last(byte[] hashed, int whole, int length) {
    long last = (long) length << 56;
    for (int i = whole; i < length; i++) {
      last |= (hashed[i] & 0xFFL) << (8 * (i - whole));
    }
    return last;
  }

  /** Returns the key as the client sent it; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  public KeyLabels labels() {
    return labels;
  }

  /** Returns whether it is taken for the key of a chunk of a prompt, whose chain is learned. */
  public boolean isChained() {
    return chained;
  }

  /**
   * Returns whether the chunk may have such a value for each worker and object group; their keys
   * have one hash.
   */
  public boolean isSharded() {
    return sharded;
  }

  /** Returns whether it is the key of the metadata of a chunk, which belong to its bytes. */
  public boolean isAttachment() {
    return attachment;
  }

  public boolean isMain() {
    return main;
  }

  public long low() {
    return attachment ? attachmentLow() : entryLow;
  }

  public long high() {
    return attachment ? attachmentHigh() : entryHigh;
  }

  public long entryLow() {
    return entryLow;
  }

  public long entryHigh() {
    return entryHigh;
  }

  public long attachmentLow() {
    return entryLow + APART;
  }

  public long attachmentHigh() {
    return entryHigh + APART;
  }

  public boolean is(ObjectKey other) {
    return Arrays.equals(bytes, other.bytes);
  }

  /** Returns whether this is the key of an attachment, and the other that of its main value. */
  public boolean belongsTo(ObjectKey other) {
    return attachment
        && other.main
        && Arrays.equals(
            bytes,
            0,
            ChunkKeys.stemLength(bytes),
            other.bytes,
            0,
            ChunkKeys.stemLength(other.bytes));
  }

  /**
   * Returns whether what a client does with the key stands for what it does with the keys of all
   * ranks and object groups: for each of them it looks up, reads and stores the same chunks.
   */
  public boolean standsForAll() {
    return !sharded || labels.standsForAll();
  }
}

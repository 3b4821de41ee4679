package dev.ebb.host.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A client's key with its hash. The hash finds the entry, the bytes decide.
 *
 * @param bytes the key as the client sent it; not to be changed
 * @param labelled whether it has the format of a known engine
 * @param sharded whether the chunk has such a value for each worker; their keys have one hash
 * @param low lower 64 bits of the hash: the fingerprint that policies see
 * @param high upper 64 bits
 */
// The array is the key itself, millions of times: a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
record ObjectKey(
    byte[] bytes, KeyRole role, boolean labelled, boolean sharded, long low, long high) {

  /** The difference between the hashes of a chunk's two keys: one hash finds both. */
  private static final long APART = 0x9FB21C651E98DF25L;

  /** Returns the key of the attachment of this main value. */
  ObjectKey attachment(byte[] itsBytes) {
    return new ObjectKey(
        itsBytes, KeyRole.ATTACHMENT, labelled, sharded, attachmentLow(), attachmentHigh());
  }

  /** Returns the lower 64 bits of the hash of the attachment's key, for a main value. */
  long attachmentLow() {
    return low + APART;
  }

  /** Returns the upper 64 bits of the same. */
  long attachmentHigh() {
    return high + APART;
  }

  /** Returns the lower 64 bits of the hash of the entry of this key. */
  long entryLow() {
    return role == KeyRole.ATTACHMENT ? low - APART : low;
  }

  /** Returns the upper 64 bits of the same. */
  long entryHigh() {
    return role == KeyRole.ATTACHMENT ? high - APART : high;
  }

  /** Returns whether this is the key of an attachment, and the other that of its main value. */
  boolean belongsTo(ObjectKey main) {
    return role == KeyRole.ATTACHMENT
        && main.role == KeyRole.MAIN
        && Arrays.equals(
            bytes, 0, role.stemLength(bytes), main.bytes, 0, main.role.stemLength(main.bytes));
  }

  /** Returns whether another key is that of another worker's value for the same chunk. */
  boolean isShardWith(ObjectKey other) {
    return sharded && other.sharded && Arrays.equals(common(), other.common());
  }

  private byte @Nullable [] common() {
    LabelledKey parts = LabelledKey.parse(bytes);
    return parts == null ? null : parts.common(bytes, bytes.length);
  }

  boolean is(byte[] other) {
    return Arrays.equals(bytes, other);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectKey key && is(key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "key " + Long.toHexString(low);
  }
}

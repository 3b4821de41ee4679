package dev.ebb.host.store;

import java.util.Arrays;

/**
 * A client's key with its hash. The hash finds the entry, the bytes decide.
 *
 * @param bytes the key as the client sent it; not to be changed
 * @param role what it names of a chunk
 * @param low lower 64 bits of the hash: the fingerprint that policies see
 * @param high upper 64 bits
 */
// The array is the key itself, millions of times: a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
record ObjectKey(byte[] bytes, KeyRole role, long low, long high) {

  /** Between the hashes of a chunk's two keys: one hash finds both. */
  private static final long APART = 0x9FB21C651E98DF25L;

  /** The key of an attachment, where this is the key of its main value. */
  ObjectKey attachment(byte[] itsBytes) {
    return new ObjectKey(itsBytes, KeyRole.ATTACHMENT, attachmentLow(), attachmentHigh());
  }

  /**
   * Lower 64 bits of the hash of the key of an attachment, where this is that of its main value.
   */
  long attachmentLow() {
    return low + APART;
  }

  /** Upper 64 bits of the same. */
  long attachmentHigh() {
    return high + APART;
  }

  /** Lower 64 bits of the hash of the entry that answers for this key. */
  long entryLow() {
    return role == KeyRole.ATTACHMENT ? low - APART : low;
  }

  /** Upper 64 bits of the same. */
  long entryHigh() {
    return role == KeyRole.ATTACHMENT ? high - APART : high;
  }

  /** Whether this is the key of an attachment, and the other that of its main value. */
  boolean belongsTo(ObjectKey main) {
    return role == KeyRole.ATTACHMENT
        && main.role == KeyRole.MAIN
        && Arrays.equals(
            bytes, 0, role.stemLength(bytes), main.bytes, 0, main.role.stemLength(main.bytes));
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

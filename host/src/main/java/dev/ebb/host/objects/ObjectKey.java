package dev.ebb.host.objects;

import java.util.Arrays;

/**
 * A client's key with its hash. The hash finds the entry, the bytes decide.
 *
 * @param bytes the key as the client sent it; not to be changed
 * @param low lower 64 bits of the hash: the fingerprint that policies see
 * @param high upper 64 bits
 */
// The array is the key itself, millions of times: a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
record ObjectKey(byte[] bytes, long low, long high) {

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

package dev.ebb.host.admission;

/**
 * What is remembered of evicted values until they are requested again. A later one replaces an
 * earlier one in the same slot, so that memory is bounded.
 */
final class UseHistory {

  /** A power of two. */
  private static final int SLOTS = 1 << 18;

  private final long[] keys = new long[SLOTS];
  private final short[] classes = new short[SLOTS];
  private final byte[] uses = new byte[SLOTS];

  void add(long key, int useClass, int used) {
    int slot = slot(key);
    keys[slot] = key;
    classes[slot] = (short) useClass;
    uses[slot] = (byte) Math.min(used, Byte.MAX_VALUE);
  }

  /** Returns how often an evicted value had been used; 0 if it is not remembered. */
  int uses(long key) {
    int slot = slot(key);
    return keys[slot] == key ? uses[slot] : 0;
  }

  /** Returns the class of an evicted value on its first request since; otherwise -1. */
  int requested(long key) {
    int slot = slot(key);
    if (keys[slot] != key) {
      return -1;
    }
    int found = classes[slot];
    classes[slot] = -1;
    return found;
  }

  private static int slot(long key) {
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & SLOTS - 1;
  }
}

package dev.ebb.host.disk.tier;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Values that are still in memory, and behind which values are on the disk already: these are of no
 * use without them. A later one replaces an earlier one in the same slot. Thread-safe.
 */
final class ExpectedParents {

  /** A power of two. */
  private static final int SLOTS = 1 << 16;

  private final AtomicLongArray hashes = new AtomicLongArray(SLOTS);

  /** Adds a value. */
  void add(long hash) {
    hashes.set(slot(hash), hash);
  }

  /** Removes a value; returns whether it was expected. */
  boolean remove(long hash) {
    return hashes.compareAndSet(slot(hash), hash, 0);
  }

  private static int slot(long hash) {
    return (int) hash & SLOTS - 1;
  }
}

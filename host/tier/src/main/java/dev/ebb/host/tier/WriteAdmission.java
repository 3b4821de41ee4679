package dev.ebb.host.tier;

import dev.ebb.host.config.DiskAdmissionChoice;
import java.util.concurrent.atomic.AtomicLongArray;

/** Decides which evicted values are written. Thread-safe. */
@FunctionalInterface
interface WriteAdmission {

  /**
   * Returns whether a value is written.
   *
   * @param hash that of its key
   * @param uses how often it was used in memory, 1 if only stored
   */
  boolean admits(long hash, int uses);

  /** Returns the admission of a name. */
  static WriteAdmission of(DiskAdmissionChoice choice) {
    return switch (choice) {
      case ALL -> (hash, uses) -> true;
      case SECOND_USE -> new SecondUse();
    };
  }

  /** Admits what was used again in memory, or was evicted without that before. */
  final class SecondUse implements WriteAdmission {

    /** A power of two: 2 MiB. Later values replace earlier ones of the same slot. */
    private static final int SLOTS = 1 << 18;

    private final AtomicLongArray evictedOnce = new AtomicLongArray(SLOTS);

    @Override
    public boolean admits(long hash, int uses) {
      return uses > 1 || evictedOnce.getAndSet((int) (hash & SLOTS - 1), hash) == hash;
    }
  }
}

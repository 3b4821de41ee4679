package dev.ebb.host.store;

import dev.ebb.host.cache.stats.Histogram;

/** The counters of a partition. Guarded by its lock. */
final class StoreCounters {

  long hits;
  long misses;
  long stored;
  long evicted;
  long evictedUnits;
  long expired;
  long notAdmitted;
  long bytesRead;
  long bytesWritten;
  int reading;
  long notAdmittedUnits;

  /** Nanoseconds. */
  final Histogram storing = new Histogram();

  /** Nanoseconds from requesting a value to releasing it. */
  final Histogram handingOut = new Histogram();

  /** Nanoseconds. */
  final Histogram allocating = new Histogram();
}

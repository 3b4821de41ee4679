package dev.ebb.host.store;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.store.stats.HitSources;

/** The counters of a partition. Guarded by its lock. */
final class StoreCounters {

  long hits;
  long misses;
  long diskHits;
  long diskHitBytes;
  long nodeHits;
  long nodeHitBytes;
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

  HitSources sources() {
    return new HitSources(diskHits, diskHitBytes, nodeHits, nodeHitBytes);
  }
}

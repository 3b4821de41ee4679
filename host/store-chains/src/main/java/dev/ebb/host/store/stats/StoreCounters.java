package dev.ebb.host.store.stats;

import dev.ebb.host.cache.stats.Histogram;

/** The counters of a partition. Guarded by its lock. */
public final class StoreCounters {

  public long hits;
  public long misses;
  public long diskHits;
  public long diskHitBytes;
  public long nodeHits;
  public long nodeHitBytes;
  public long stored;
  public long evicted;
  public long evictedUnits;
  public long expired;
  public long notAdmitted;
  public long bytesRead;
  public long bytesWritten;
  public int reading;
  public long notAdmittedUnits;

  /** Nanoseconds. */
  public final Histogram storing = new Histogram();

  /** Nanoseconds from requesting a value to releasing it. */
  public final Histogram handingOut = new Histogram();

  /** Nanoseconds. */
  public final Histogram allocating = new Histogram();

  public HitSources sources() {
    return new HitSources(diskHits, diskHitBytes, nodeHits, nodeHitBytes);
  }
}

package dev.ebb.host.engine.pool;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.pool.PoolStats;
import java.util.List;

/**
 * A pool and the use of its memory, at one moment.
 *
 * @param evictableBlocks those of them that are evictable now
 * @param migrationNanos the time of completed migrations to this device
 * @param sequences open sequences with blocks here, oldest first, then arriving ones
 */
public record PoolReport(
    String device,
    String policy,
    PoolStats pool,
    int cachedBlocks,
    int evictableBlocks,
    int reservedBlocks,
    TrafficCounters traffic,
    ReclaimCounters reclaim,
    Histogram obtainingNanos,
    Histogram migrationNanos,
    List<SequenceReport> sequences) {

  public PoolReport {
    sequences = List.copyOf(sequences);
  }
}

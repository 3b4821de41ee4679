package dev.ebb.host.engine.stats;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.state.StateStats;

/**
 * The pool and the prefix cache on one device, at one moment. A cached page, with all its lane
 * groups, is one entry.
 *
 * @param onDemand whether only requests that need memory evict
 * @param fragmentation the share of free blocks in short runs
 * @param prematureEvictions evicted entries that were requested again
 * @param ghostWindow how many evicted keys are remembered to count those
 * @param reusedEntries entries that open sequences use
 * @param pinnedEntries entries that operators have pinned, with all before them
 * @param migrationNanos the time of completed migrations to this device
 */
public record DeviceStats(
    String device,
    long entryBytes,
    long capacityBytes,
    long usedBytes,
    long evictableBytes,
    boolean onDemand,
    double fragmentation,
    long openSequences,
    CacheStats cache,
    long evictedEntries,
    long evictedBytes,
    long prematureEvictions,
    int ghostWindow,
    long reusedEntries,
    long pinnedEntries,
    StateStats states,
    TrafficCounters traffic,
    ReclaimCounters reclaim,
    Histogram obtainingNanos,
    Histogram migrationNanos) {}

package dev.ebb.host.store.stats;

import dev.ebb.host.cache.stats.Histogram;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The statistics of the store, or a part of it.
 *
 * @param expiring those of them that have a time to live
 * @param usedBytes pool memory charged to values, including those being written or still being read
 * @param sources the hits that memory did not have
 * @param evictedBytes their pool memory
 * @param notAdmitted values read and dropped, because there was no room
 * @param notAdmittedBytes their size
 * @param pinnedBytes their pool memory
 * @param storing nanoseconds from the first byte of a value until it is visible
 * @param handingOut nanoseconds from requesting a value until its last byte is sent
 * @param allocating nanoseconds to allocate memory for a value, evictions and waits included
 * @param states entries in each state; for final states, how many ever reached them
 */
public record StoreStats(
    long keys,
    long expiring,
    long usedBytes,
    long capacityBytes,
    long hits,
    long misses,
    HitSources sources,
    long stored,
    long evicted,
    long evictedBytes,
    long expired,
    long notAdmitted,
    long notAdmittedBytes,
    long bytesRead,
    long bytesWritten,
    long reading,
    long pinned,
    long pinnedBytes,
    LeaseStats leases,
    ChainStats chains,
    HybridStats hybrid,
    Histogram storing,
    Histogram handingOut,
    Histogram allocating,
    PrematureEvictionStats prematureEvictions,
    Map<EntryState, Long> states) {

  public StoreStats {
    states = Map.copyOf(states);
  }

  /**
   * Returns the fraction of evicted entries that were requested again while they were remembered.
   */
  public double rePrefillRate() {
    return evicted == 0 ? 0 : (double) prematureEvictions.count() / evicted;
  }

  public static StoreStats sum(List<PartitionStats> parts) {
    return parts.stream().map(PartitionStats::numbers).reduce(StoreStats::plus).orElseThrow();
  }

  public StoreStats plus(StoreStats other) {
    Map<EntryState, Long> sums = new EnumMap<>(states);
    other.states.forEach((state, count) -> sums.merge(state, count, Long::sum));
    return new StoreStats(
        keys + other.keys,
        expiring + other.expiring,
        usedBytes + other.usedBytes,
        capacityBytes + other.capacityBytes,
        hits + other.hits,
        misses + other.misses,
        sources.plus(other.sources),
        stored + other.stored,
        evicted + other.evicted,
        evictedBytes + other.evictedBytes,
        expired + other.expired,
        notAdmitted + other.notAdmitted,
        notAdmittedBytes + other.notAdmittedBytes,
        bytesRead + other.bytesRead,
        bytesWritten + other.bytesWritten,
        reading + other.reading,
        pinned + other.pinned,
        pinnedBytes + other.pinnedBytes,
        leases.plus(other.leases),
        chains.plus(other.chains),
        hybrid.plus(other.hybrid),
        storing.plus(other.storing),
        handingOut.plus(other.handingOut),
        allocating.plus(other.allocating),
        prematureEvictions.plus(other.prematureEvictions),
        sums);
  }
}

package dev.ebb.host.store;

import dev.ebb.host.cache.Histogram;
import java.util.EnumMap;
import java.util.Map;

/**
 * The store, or a part of it, in numbers.
 *
 * @param keys keys with a value
 * @param expiring those of them that have a time to live
 * @param usedBytes pool memory charged to values, those being written or read to their end included
 * @param capacityBytes pool memory in all
 * @param policy the active eviction policy
 * @param hits values that were asked for and there
 * @param misses values that were asked for and not there
 * @param stored values put
 * @param evicted entries evicted for room
 * @param evictedBytes pool memory that they took
 * @param expired keys whose time had come
 * @param notAdmitted values read to their end and not kept, for want of room
 * @param notAdmittedBytes what those would have taken
 * @param bytesRead bytes of values handed out
 * @param bytesWritten bytes of values put
 * @param reading values being read now
 * @param pinned entries that operators have pinned
 * @param pinnedBytes pool memory that they take
 * @param storing nanoseconds from the first byte of a value to its being visible
 * @param handingOut nanoseconds from asking for a value to its last byte having been handed out
 * @param allocating nanoseconds to take memory for a value, evictions and waits included
 * @param prematureEvictions evicted entries that were asked for again
 * @param states entries in each state; of the states that end a life, how many ever got there
 */
public record StoreStats(
    long keys,
    long expiring,
    long usedBytes,
    long capacityBytes,
    String policy,
    long hits,
    long misses,
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
    Histogram storing,
    Histogram handingOut,
    Histogram allocating,
    PrematureEvictionStats prematureEvictions,
    Map<EntryState, Long> states) {

  /** Takes a copy of the map. */
  public StoreStats {
    states = Map.copyOf(states);
  }

  /**
   * The share of evicted entries that were asked for again while they were remembered.
   *
   * @return 0 to 1; 0 if none was evicted
   */
  public double rePrefillRate() {
    return evicted == 0 ? 0 : (double) prematureEvictions.count() / evicted;
  }

  /** Both together; the policy is the same everywhere. */
  StoreStats plus(StoreStats other) {
    Map<EntryState, Long> sums = new EnumMap<>(states);
    other.states.forEach((state, count) -> sums.merge(state, count, Long::sum));
    return new StoreStats(
        keys + other.keys,
        expiring + other.expiring,
        usedBytes + other.usedBytes,
        capacityBytes + other.capacityBytes,
        policy,
        hits + other.hits,
        misses + other.misses,
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
        storing.plus(other.storing),
        handingOut.plus(other.handingOut),
        allocating.plus(other.allocating),
        prematureEvictions.plus(other.prematureEvictions),
        sums);
  }
}

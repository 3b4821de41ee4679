package dev.ebb.host.store;

import dev.ebb.spi.RemovalCause;
import java.util.Map;

/**
 * What one tenant, or one model, makes of the store.
 *
 * @param name the tenant's or the model's name, as keys say it
 * @param hits values that were asked for and there
 * @param misses values that were asked for and not there
 * @param entries entries it has now
 * @param usedBytes pool memory that they take
 * @param evicted entries evicted for room
 * @param evictedBytes pool memory that they took
 * @param removals entries that left, by cause
 */
public record UseStats(
    String name,
    long hits,
    long misses,
    long entries,
    long usedBytes,
    long evicted,
    long evictedBytes,
    Map<RemovalCause, Long> removals) {

  /** Takes a copy of the map. */
  public UseStats {
    removals = Map.copyOf(removals);
  }
}

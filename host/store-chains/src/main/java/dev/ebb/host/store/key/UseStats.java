package dev.ebb.host.store.key;

import dev.ebb.host.cache.stats.Fairness;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import java.util.Map;

/**
 * The use of the store by one tenant, or one model.
 *
 * @param name the tenant's or the model's name, from keys
 * @param usedBytes their pool memory
 * @param evictedBytes their pool memory
 * @param removals removed entries, by cause
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

  public UseStats {
    removals = Map.copyOf(removals);
  }

  /** Returns Jain's index over the hit ratios of tenants, 0 to 1; NaN if none has a hit. */
  public static double fairness(List<UseStats> tenants) {
    Fairness fairness = new Fairness();
    tenants.forEach(each -> fairness.add(each.name, each.hits, each.hits + each.misses));
    return fairness.index();
  }
}

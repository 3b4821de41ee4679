package dev.ebb.host.store.stats;

import dev.ebb.host.cache.stats.CacheStats;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one part of the pool.
 *
 * @param tenant its tenant; null for the shared part
 * @param cache those of its cache and policy, in units of 1 KiB
 * @param numbers its share of the store's; {@code capacityBytes} is the quota
 */
public record PartitionStats(
    String name, @Nullable String tenant, CacheStats cache, StoreStats numbers) {}

package dev.ebb.host.store;

import dev.ebb.host.cache.CacheStats;
import org.jspecify.annotations.Nullable;

/**
 * One part of the pool in numbers.
 *
 * @param name its name
 * @param tenant whose it is; null for everybody else's
 * @param cache what its cache and policy say, in units of 1 KiB
 * @param numbers its share of the store's; {@code capacityBytes} is the quota
 */
public record PartitionStats(
    String name, @Nullable String tenant, CacheStats cache, StoreStats numbers) {}

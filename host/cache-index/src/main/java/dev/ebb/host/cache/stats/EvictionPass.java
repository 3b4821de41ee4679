package dev.ebb.host.cache.stats;

import dev.ebb.spi.Demand;

/**
 * The result of one eviction pass.
 *
 * @param wallMillis when it ended, in milliseconds since 1970
 * @param reason why room was needed
 * @param freedBytes bytes freed; fewer than requested if nothing more was evictable
 * @param before occupied bytes before
 * @param after occupied bytes after
 */
public record EvictionPass(
    long wallMillis,
    String policy,
    EvictedBy by,
    Demand.Reason reason,
    long askedBytes,
    long freedBytes,
    long entries,
    long refused,
    long before,
    long after,
    long nanos) {}

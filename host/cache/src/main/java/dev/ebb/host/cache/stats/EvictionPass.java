package dev.ebb.host.cache.stats;

import dev.ebb.spi.Demand;

/**
 * The result of one eviction pass.
 *
 * @param wallMillis when it ended, in milliseconds since 1970
 * @param reason why room was needed
 * @param freedBlocks blocks freed; fewer than requested if nothing more was evictable
 * @param before occupied blocks before
 * @param after occupied blocks after
 */
public record EvictionPass(
    long wallMillis,
    String policy,
    EvictedBy by,
    Demand.Reason reason,
    long askedBlocks,
    long freedBlocks,
    long entries,
    long refused,
    long before,
    long after,
    long nanos) {}

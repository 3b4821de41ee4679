package dev.ebb.host.cache;

import dev.ebb.spi.Demand;

/**
 * One eviction pass.
 *
 * @param wallMillis when it ended, in milliseconds since 1970
 * @param policy the policy's name
 * @param by on whose account
 * @param reason why room was needed
 * @param askedBlocks blocks to free
 * @param freedBlocks blocks freed; fewer than asked if nothing more could be evicted
 * @param entries entries evicted
 * @param refused offered entries that could not be evicted
 * @param before occupied blocks before
 * @param after occupied blocks after
 * @param nanos time taken
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

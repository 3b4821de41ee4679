package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;

/**
 * The evictions of a site, for the eviction log.
 *
 * @param log the most recently evicted entries
 * @param blockBytes the block size that the log's records are counted in
 */
public record EvictionSource(EvictionLog log, long blockBytes) {}

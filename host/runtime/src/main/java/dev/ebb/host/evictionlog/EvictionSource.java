package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.EvictionLog;

/**
 * Where evictions are written down.
 *
 * @param log the last entries that left
 * @param blockBytes what its records count in
 */
public record EvictionSource(EvictionLog log, long blockBytes) {}

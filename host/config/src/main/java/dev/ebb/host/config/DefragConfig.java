package dev.ebb.host.config;

import java.time.Duration;

/**
 * {@code ebb.pool.defrag}.
 *
 * @param threshold the fragmentation above which the pool is compacted in the background, 0 to 1
 * @param interval how often the pool is checked
 * @param sliceBytes the most bytes moved while the pool is locked
 * @param shortRun the length in blocks below which a free run counts as fragmented
 */
public record DefragConfig(double threshold, Duration interval, long sliceBytes, int shortRun) {}

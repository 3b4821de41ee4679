package dev.ebb.host.engine;

import dev.ebb.host.pool.PoolStats;
import java.util.List;

/**
 * A pool and what holds its memory, at one moment.
 *
 * @param device where it is
 * @param policy the active eviction policy
 * @param pool the pool in numbers
 * @param cachedBlocks blocks that hold cached prefixes
 * @param evictableBlocks those of them that could leave now
 * @param reservedBlocks blocks taken ahead of their use
 * @param traffic what sequences did so far
 * @param shortage what was done for want of room so far
 * @param sequences open sequences with blocks here, oldest first, then those that are arriving
 */
public record PoolReport(
    String device,
    String policy,
    PoolStats pool,
    int cachedBlocks,
    int evictableBlocks,
    int reservedBlocks,
    TrafficCounters traffic,
    ShortageCounters shortage,
    List<SequenceReport> sequences) {

  /** Copies the list. */
  public PoolReport {
    sequences = List.copyOf(sequences);
  }
}

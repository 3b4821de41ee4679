package dev.ebb.host.pool;

/**
 * A pool's statistics at one moment.
 *
 * @param sharedBlocks blocks with more than one reference
 * @param fragmentation the share of free blocks that lie in short runs, 0 to 1
 */
public record PoolStats(
    int blocks,
    int freeBlocks,
    int pinnedBlocks,
    int sharedBlocks,
    int blockBytes,
    double fragmentation,
    int largestFreeRun) {

  /** Returns the allocated share of the pool: 0 to 1. */
  public double utilisation() {
    return 1 - (double) freeBlocks / blocks;
  }
}

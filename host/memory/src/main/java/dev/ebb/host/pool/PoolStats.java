package dev.ebb.host.pool;

/**
 * A pool in numbers, taken at one moment.
 *
 * @param blocks all blocks
 * @param freeBlocks blocks that nobody has
 * @param pinnedBlocks blocks with a pin
 * @param sharedBlocks blocks with more than one reference
 * @param blockBytes the size of a block
 * @param fragmentation the share of free blocks that lie in short runs, 0 to 1
 * @param largestFreeRun blocks
 */
public record PoolStats(
    int blocks,
    int freeBlocks,
    int pinnedBlocks,
    int sharedBlocks,
    int blockBytes,
    double fragmentation,
    int largestFreeRun) {

  /**
   * How much of the pool is taken.
   *
   * @return 0 to 1
   */
  public double utilisation() {
    return 1 - (double) freeBlocks / blocks;
  }
}

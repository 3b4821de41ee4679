package dev.ebb.host.store;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.Demand;

/**
 * Memory for values that are being written: reserved in the cache, evicting as needed, and
 * allocated in the pool. Guarded by the partition's lock.
 */
final class SpaceAllocator {

  private final BlockCache cache;
  private final ObjectMemory memory;

  SpaceAllocator(BlockCache cache, ObjectMemory memory) {
    this.cache = cache;
    this.memory = memory;
  }

  /** Allocates blocks. All or nothing. */
  boolean takeBlocks(int[] into, int from, int count, RequestFacts asker) {
    long units = (long) count * ObjectMemory.BLOCK_UNITS;
    if (!cache.reserve(units, asker)) {
      return false;
    }
    // Enough units are free, but they may lie in blocks that small values share.
    while (!memory.allocateBlocks(into, from, count)) {
      if (cache.evict(units, Demand.Reason.ALLOCATION, asker) == 0) {
        cache.unreserve(units);
        return false;
      }
    }
    return true;
  }

  /** Allocates a slot for a small value, or returns {@link SmallArena#NONE}. */
  long takeSmall(int units, RequestFacts asker) {
    if (!cache.reserve(units, asker)) {
      return SmallArena.NONE;
    }
    while (true) {
      long unit = memory.allocateSmall(units);
      if (unit != SmallArena.NONE) {
        return unit;
      }
      if (cache.evict(ObjectMemory.BLOCK_UNITS, Demand.Reason.ALLOCATION, asker) == 0) {
        cache.unreserve(units);
        return SmallArena.NONE;
      }
    }
  }

  void giveBack(StoredBytes bytes, long units) {
    bytes.free(memory);
    cache.unreserve(units);
  }
}

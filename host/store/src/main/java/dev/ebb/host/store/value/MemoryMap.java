package dev.ebb.host.store.value;

import dev.ebb.host.pool.BlockMap;
import java.util.List;

/** The use of each block of a part of the store. */
public final class MemoryMap extends BlockMap<MemoryUse> {

  private final String name;

  public MemoryMap(String name, int blocks) {
    super(List.of(MemoryUse.values()), MemoryUse.PASSING, blocks);
    this.name = name;
  }

  public String name() {
    return name;
  }

  /** Marks the blocks of a value and its shards. */
  public void mark(StoredValue value) {
    MemoryUse use =
        !value.whole().pins().isEmpty()
            ? MemoryUse.PINNED
            : value.readers() > 0 ? MemoryUse.READING : MemoryUse.VALUE;
    value.shards().forEach(this::mark);
    for (int block : value.blocks) {
      set(block, use);
      assign(block, value.key.labels().facts().tenant());
    }
  }

  /**
   * The memory of a part.
   *
   * @param fragmentation the share of free blocks that lie in short runs, 0 to 1
   * @param largestFreeRun the longest run of free ones
   */
  public record Summary(
      String name,
      int blocks,
      int freeBlocks,
      int smallBlocks,
      int blockBytes,
      double fragmentation,
      int largestFreeRun) {}
}

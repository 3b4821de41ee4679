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

  /** The memory of a part; fragmentation is the share of free blocks in short runs. */
  public record Summary(
      String name,
      int blocks,
      int freeBlocks,
      int smallBlocks,
      int blockBytes,
      double fragmentation,
      int largestFreeRun) {}
}

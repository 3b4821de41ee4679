package dev.ebb.host.store.value;

import dev.ebb.host.pool.runs.RunAllocator;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/**
 * Slots for values of half a block and less. A block is cut into slots of one size, and is freed
 * with the last slot. Not thread-safe.
 */
public final class SmallArena {

  static final long NONE = -1;

  private final RunAllocator blocks;
  private final Int2ObjectOpenHashMap<Page> pages = new Int2ObjectOpenHashMap<>();

  /** By size in units less 1: the pages with a free slot. */
  private final List<List<Page>> open = new ArrayList<>();

  SmallArena(RunAllocator blocks) {
    this.blocks = blocks;
    for (int units = 1; units <= ObjectMemory.SMALL_UNITS; units++) {
      open.add(new ArrayList<>());
    }
  }

  /** One block and its free slots, a bit each. */
  private static final class Page {
    private final int block;
    private final int units;
    private final long whole;
    private long free;
    private int place;

    Page(int block, int units) {
      this.block = block;
      this.units = units;
      whole = -1L >>> (Long.SIZE - ObjectMemory.BLOCK_UNITS / units);
      free = whole;
    }
  }

  /** Allocates a slot: the number of its first unit, or {@link #NONE} if no block is free. */
  long allocate(int units) {
    List<Page> candidates = open.get(units - 1);
    if (candidates.isEmpty()) {
      int block = blocks.allocate(1);
      if (block == RunAllocator.NONE) {
        return NONE;
      }
      Page made = new Page(block, units);
      pages.put(block, made);
      opened(made);
    }
    Page page = candidates.getLast();
    int slot = Long.numberOfTrailingZeros(page.free);
    page.free &= page.free - 1;
    if (page.free == 0) {
      candidates.removeLast();
    }
    return (long) page.block * ObjectMemory.BLOCK_UNITS + (long) slot * units;
  }

  void free(long unit) {
    Page page = pages.get((int) (unit / ObjectMemory.BLOCK_UNITS));
    long slot = 1L << (unit % ObjectMemory.BLOCK_UNITS / page.units);
    if ((page.free & slot) != 0) {
      throw new IllegalStateException("unit '%d' is free already".formatted(unit));
    }
    if (page.free == 0) {
      opened(page);
    }
    page.free |= slot;
    if (page.free == page.whole) {
      closed(page);
      pages.remove(page.block);
      blocks.free(page.block, 1);
    }
  }

  boolean owns(int block) {
    return pages.containsKey(block);
  }

  int pages() {
    return pages.size();
  }

  private void opened(Page page) {
    List<Page> list = open.get(page.units - 1);
    page.place = list.size();
    list.add(page);
  }

  private void closed(Page page) {
    List<Page> list = open.get(page.units - 1);
    Page last = list.removeLast();
    if (last != page) {
      list.set(page.place, last);
      last.place = page.place;
    }
  }
}

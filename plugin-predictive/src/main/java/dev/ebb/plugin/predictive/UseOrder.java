package dev.ebb.plugin.predictive;

import org.jspecify.annotations.Nullable;

/**
 * Blocks in order of their last use. A use appends the block to a ring and leaves a hole where it
 * was, so that it touches no other block. A list would touch both neighbours, anywhere in memory.
 */
final class UseOrder {

  /** The place of a block that is not here. */
  static final int ABSENT = -1;

  private @Nullable CachedBlock[] ring = new CachedBlock[64];
  private int cold;

  /** Places from the cold end to the hot one, holes included. */
  private int used;

  private int size;

  int size() {
    return size;
  }

  /** Returns the block used longest ago; null if there is none. */
  @Nullable CachedBlock cold() {
    CachedBlock block = ring[cold];
    while (block == null && used > 0) {
      cold = place(1);
      used--;
      block = ring[cold];
    }
    return block;
  }

  /** Adds a block as the one used last, or moves it there. */
  void use(CachedBlock block) {
    if (block.turn != ABSENT) {
      if (block.turn == place(used - 1)) {
        return;
      }
      remove(block);
    }
    makeRoom();
    put(block, place(used));
  }

  /** Adds a block as the one used longest ago. */
  void addCold(CachedBlock block) {
    makeRoom();
    cold = place(-1);
    put(block, cold);
  }

  void remove(CachedBlock block) {
    ring[block.turn] = null;
    block.turn = ABSENT;
    size--;
  }

  private void put(CachedBlock block, int place) {
    ring[place] = block;
    block.turn = place;
    used++;
    size++;
  }

  private int place(int fromCold) {
    return (cold + fromCold) & (ring.length - 1);
  }

  // Closes the holes. At least half of the ring is free then.
  private void makeRoom() {
    if (used < ring.length) {
      return;
    }
    @Nullable CachedBlock[] full = ring;
    int from = cold;
    if (2 * size > full.length) {
      ring = new CachedBlock[full.length * 2];
    }
    used = 0;
    size = 0;
    for (int i = 0; i < full.length; i++) {
      int place = (from + i) & (full.length - 1);
      CachedBlock block = full[place];
      if (block != null) {
        full[place] = null;
        put(block, place(used));
      }
    }
  }
}

package dev.ebb.host.engine;

import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EventConsumer;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.KvPool;
import java.util.Arrays;

/** The pool blocks of cached entries, by the entry's slot. Frees them when the entry is removed. */
final class CachedPages implements EventConsumer {

  private static final int NONE = -1;
  private static final BlockOwner OWNER = new BlockOwner("prefix cache");

  private final KvPool pool;
  private final int groups;
  private int[] blocks;

  /** By block: its index in the array above. */
  private final int[] places;

  CachedPages(KvPool pool) {
    this.pool = pool;
    groups = pool.layout().laneGroups();
    blocks = new int[64 * groups];
    places = new int[pool.blocks()];
    Arrays.fill(places, NONE);
  }

  int block(int slot, int group) {
    return blocks[slot * groups + group];
  }

  /** Takes over one reference to a block. */
  void put(int slot, int group, int block) {
    int place = slot * groups + group;
    if (place >= blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(place + groups, blocks.length * 2));
    }
    blocks[place] = block;
    places[block] = place;
    pool.assign(block, OWNER);
  }

  /** Returns the slot of the entry of a cached block. */
  int slot(int block) {
    return places[block] / groups;
  }

  boolean holds(int block) {
    return places[block] != NONE;
  }

  void moved(int from, int to) {
    int place = places[from];
    if (place != NONE) {
      places[from] = NONE;
      places[to] = place;
      blocks[place] = to;
    }
  }

  @Override
  public boolean hearsRequests() {
    return false;
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        int first = batch.slot(i) * groups;
        int[] freed = Arrays.copyOfRange(blocks, first, first + groups);
        for (int block : freed) {
          places[block] = NONE;
        }
        pool.free(freed);
      }
    }
  }
}

package dev.ebb.host.engine.pool;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EventConsumer;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.KvPool;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pool blocks of cached entries, by the entry's slot. Frees them when the entry is removed, and
 * those of a lane group with a window when it leaves.
 */
public final class CachedPages implements EventConsumer, RemovalListener {

  private static final int NONE = -1;
  private static final BlockOwner OWNER = new BlockOwner("prefix cache");

  private final KvPool pool;
  private final int groups;
  private int[] blocks;

  /** By slot. */
  private @Nullable Namespace[] namespaces;

  /** By block: its index in the array above. */
  private final int[] places;

  public CachedPages(KvPool pool) {
    this.pool = pool;
    groups = pool.layout().laneGroups();
    blocks = new int[64 * groups];
    Arrays.fill(blocks, NONE);
    namespaces = new Namespace[64];
    places = new int[pool.blocks()];
    Arrays.fill(places, NONE);
  }

  public int block(int slot, int group) {
    return blocks[slot * groups + group];
  }

  /** Returns whether an entry has its block of a lane group. */
  public boolean has(int slot, int group) {
    return slot * groups < blocks.length && block(slot, group) != NONE;
  }

  /** Returns the namespace of an entry; null if it has no blocks. */
  public @Nullable Namespace namespace(int slot) {
    return slot < namespaces.length ? namespaces[slot] : null;
  }

  /** Takes over one reference to a block. */
  public void put(int slot, int group, int block, Namespace namespace) {
    int place = slot * groups + group;
    if (place >= blocks.length) {
      int before = blocks.length;
      blocks = Arrays.copyOf(blocks, Math.max(place + groups, before * 2));
      Arrays.fill(blocks, before, blocks.length, NONE);
      namespaces = Arrays.copyOf(namespaces, blocks.length / groups);
    }
    namespaces[slot] = namespace;
    blocks[place] = block;
    places[block] = place;
    pool.assign(block, OWNER);
  }

  /** Returns the slot of the entry of a cached block. */
  public int slot(int block) {
    return places[block] / groups;
  }

  public boolean holds(int block) {
    return places[block] != NONE;
  }

  public void moved(int from, int to) {
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
        int slot = batch.slot(i);
        if (slot < namespaces.length) {
          namespaces[slot] = null;
        }
        pool.atomically(() -> free(slot));
      }
    }
  }

  private int free(int slot) {
    int freed = 0;
    for (int group = 0; group < groups; group++) {
      if (has(slot, group)) {
        free(slot, group);
        freed++;
      }
    }
    return freed;
  }

  private void free(int slot, int group) {
    int block = block(slot, group);
    blocks[slot * groups + group] = NONE;
    places[block] = NONE;
    pool.free(block);
  }

  @Override
  public void removed(CacheEntry entry, RemovalCause cause) {
    // The event frees all blocks.
  }

  @Override
  public boolean thins(CacheEntry entry, int group) {
    if (has(entry.slot(), group)) {
      free(entry.slot(), group);
    }
    return true;
  }
}

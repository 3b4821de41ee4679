package dev.ebb.host.engine.pool;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EventConsumer;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.KvPool;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The pool blocks of cached entries, by the entry's slot. Frees them when the entry is removed, and
 * those of a lane group with a window when it leaves.
 */
public final class CachedPages implements EventConsumer, RemovalListener {

  private static final int NONE = -1;
  private static final BlockOwner OWNER = new BlockOwner("prefix cache");

  private final KvPool pool;
  private final PageListener listener;
  private final int groups;
  private int[] blocks;

  /** By slot. */
  private @Nullable Namespace[] namespaces;

  /** By slot: whether the listener knows the page, and its id. */
  private final BitSet reported = new BitSet();

  private long[] ids = {};

  /** By block: its index in {@link #blocks}. */
  private final int[] places;

  public CachedPages(KvPool pool, PageListener listener) {
    this.pool = pool;
    this.listener = listener;
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

  /** Reports a page of a prompt whose blocks are all here, unless that has been done. */
  public void report(int slot, KeyChain chain, int page, Namespace namespace) {
    if (listener != PageListener.NONE && !reported.get(slot)) {
      if (slot >= ids.length) {
        ids = Arrays.copyOf(ids, Math.max(slot + 1, 2 * ids.length));
      }
      ids[slot] = chain.low(page);
      reported.set(slot);
      Long parent = page == 0 ? null : chain.low(page - 1);
      listener.stored(
          new PageListener.Page(chain.low(page), parent, chain.tokens(page), namespace));
    }
  }

  /** Reports all pages as removed, because the pool is going to be closed. */
  public void reportClosed() {
    reported.stream().forEach(slot -> listener.removed(ids[slot]));
    reported.clear();
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
        if (reported.get(slot)) {
          reported.clear(slot);
          listener.removed(ids[slot]);
        }
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

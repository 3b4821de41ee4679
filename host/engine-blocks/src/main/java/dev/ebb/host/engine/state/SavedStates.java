package dev.ebb.host.engine.state;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The recurrent states after some pages of cached prefixes, in blocks of the pool. A prompt goes on
 * after the last page that has one. A state is the second part of its page's entry, so that the
 * cache evicts states and pages in one order. Under the engine's lock.
 */
public final class SavedStates implements RemovalListener {

  /** The groups of a page. The weight of a state comes when it is saved. */
  public static final SizedGroups GROUPS =
      new SizedGroups(
          new ObjectGroups(List.of(ObjectGroup.FULL, ObjectGroup.STATE)), List.of(1, 0));

  private static final int STATE = 1;
  private static final BlockOwner OWNER = new BlockOwner("recurrent states");

  private final KvPool pool;
  private final BlockCache cache;
  private final long bytes;

  /** The weight of a state in the cache, and the blocks that this is. */
  private final int weight;

  private final int blocksEach;

  /** The groups with the weight of a saved state. */
  private final SizedGroups sized;

  /** The blocks of the state after an entry, by its slot. */
  private int[] @Nullable [] blocks = new int[64][];

  private int held;
  private long saved;

  /**
   * Creates an empty table, and listens to the cache.
   *
   * @param cache of the pool's pages, each with one block for each lane group
   * @param bytes the size of a state
   */
  public SavedStates(KvPool pool, BlockCache cache, long bytes) {
    this.pool = pool;
    this.cache = cache;
    this.bytes = bytes;
    int groups = pool.layout().laneGroups();
    weight = Math.toIntExact(Math.ceilDiv(bytes, (long) pool.layout().blockBytes() * groups));
    blocksEach = weight * groups;
    sized = new SizedGroups(GROUPS.groups(), List.of(1, weight));
    cache.onRemoval(this);
  }

  /** Returns the groups of a page with the weight of a saved state. */
  public SizedGroups sized() {
    return sized;
  }

  /** Returns how many blocks of the pool a state takes. */
  public int blocksEach() {
    return blocksEach;
  }

  public StateStats stats() {
    return new StateStats(held, (long) held * blocksEach * pool.layout().blockBytes(), saved);
  }

  /** Returns whether there is a state after the page of an entry. */
  public boolean has(CacheEntry entry) {
    return of(entry.slot()) != null;
  }

  private int @Nullable [] of(int slot) {
    return slot < blocks.length ? blocks[slot] : null;
  }

  /** Returns whether a state fits into free blocks and leaves some to others. */
  public boolean fitsFree(long others) {
    return pool.freeBlocks() >= blocksEach + others;
  }

  /** Refuses memory that is smaller than a state. */
  public void checkSize(MemorySegment state) {
    if (state.byteSize() < bytes) {
      throw new IllegalArgumentException(
          "a state has '%d' bytes, not '%d'".formatted(bytes, state.byteSize()));
    }
  }

  /**
   * Saves the state after a page, unless there is one. May evict pages and states.
   *
   * @param entry the page's entry, which the caller pins
   * @param state its size in bytes, in native memory
   * @param asker for whom others are evicted
   * @param others blocks, free or evictable, to leave to others
   * @return false if there is too little memory
   */
  public boolean save(CacheEntry entry, MemorySegment state, RequestFacts asker, long others) {
    if (has(entry)) {
      return true;
    }
    if (!makeRoom(asker, others) || !cache.reserveFree(weight)) {
      return false;
    }
    put(entry.slot(), pool.atomically(this::take));
    write(blocks[entry.slot()], state);
    cache.reweigh(entry, weight);
    cache.weighPart(entry, STATE, weight);
    saved++;
    return true;
  }

  private boolean makeRoom(RequestFacts asker, long others) {
    int groups = pool.layout().laneGroups();
    int missing = blocksEach - pool.freeBlocks();
    while (missing > 0) {
      // States of chunks in use are not evictable, but may leave nevertheless.
      if (cache.evict(Math.ceilDiv(missing, groups), Demand.Reason.ALLOCATION, asker) == 0) {
        return false;
      }
      missing = blocksEach - pool.freeBlocks();
    }
    return pool.freeBlocks() + cache.evictableBlocks() * groups >= blocksEach + others;
  }

  private int[] take() {
    int[] taken = pool.allocate(OWNER, blocksEach, Placement.SCATTERED);
    for (int block : taken) {
      pool.pin(block);
    }
    return taken;
  }

  private void put(int slot, int... taken) {
    if (slot >= blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(slot + 1, 2 * blocks.length));
    }
    blocks[slot] = taken;
    held++;
  }

  private void write(int[] to, MemorySegment state) {
    long each = pool.layout().blockBytes();
    for (int i = 0; i * each < bytes; i++) {
      pool.memory().write(to[i], 0, state.asSlice(i * each, Math.min(each, bytes - i * each)));
    }
  }

  /**
   * Reads the state after a page.
   *
   * @param entry the page's entry, which has a state and is pinned
   * @param into its size in bytes, in native memory
   */
  public void read(CacheEntry entry, MemorySegment into) {
    int[] from = of(entry.slot());
    if (from == null) {
      throw new IllegalStateException("no state is saved after page '%d'".formatted(entry.depth()));
    }
    long each = pool.layout().blockBytes();
    for (int i = 0; i * each < bytes; i++) {
      pool.memory().read(from[i], 0, into.asSlice(i * each, Math.min(each, bytes - i * each)));
    }
  }

  /** Visits the blocks of all states. */
  public void forEachBlock(IntConsumer visitor) {
    for (int[] each : blocks) {
      for (int i = 0; each != null && i < each.length; i++) {
        visitor.accept(each[i]);
      }
    }
  }

  @Override
  public void removed(CacheEntry entry, RemovalCause cause) {
    free(entry.slot());
  }

  @Override
  public boolean thins(CacheEntry entry, int group) {
    free(entry.slot());
    return true;
  }

  private void free(int slot) {
    int[] freed = of(slot);
    if (freed != null) {
      blocks[slot] = null;
      held--;
      pool.atomically(() -> {
        for (int block : freed) {
          pool.unpin(block);
        }
        pool.free(freed);
        return null;
      });
    }
  }
}

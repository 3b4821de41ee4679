package dev.ebb.router.choice;

import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that an engine is believed to have cached: the most recently used ones of those that
 * were sent to it. A tree of prefixes in LRU order, as engines keep it. Not thread-safe.
 *
 * <p>Its answers correct it. An engine that had fewer blocks than believed has none of those after
 * the first missing one, and holds fewer blocks in all. An engine that had more blocks holds more.
 */
final class BelievedPrefixes {

  /** A block. Its children continue prompts that begin with it. */
  private static final class Block {
    final long hash;
    final @Nullable Block parent;
    @Nullable Block child;
    @Nullable Block before;
    @Nullable Block after;
    long usedNanos;
    boolean proven;

    Block(long hash, @Nullable Block parent) {
      this.hash = hash;
      this.parent = parent;
      if (parent != null) {
        after = parent.child;
        if (after != null) {
          after.before = this;
        }
        parent.child = this;
      }
    }

    void unlink() {
      if (before != null) {
        before.after = after;
      } else if (parent != null && parent.child == this) {
        parent.child = after;
      }
      if (after != null) {
        after.before = before;
      }
    }
  }

  /** From the least recently used block on. A block is used after those that continue it. */
  private final Long2ObjectLinkedOpenHashMap<Block> blocks = new Long2ObjectLinkedOpenHashMap<>();

  /** Hashes of blocks that were dropped because of the capacity, the oldest first. */
  private final LongLinkedOpenHashSet dropped = new LongLinkedOpenHashSet();

  private final int mostRemembered;
  private int most;
  private int capacity;

  /**
   * Creates an empty set.
   *
   * @param most the most blocks to remember
   */
  BelievedPrefixes(int most) {
    mostRemembered = most;
    this.most = most;
    capacity = most;
  }

  /** Sets the most blocks that the engine can hold, with those of running requests. */
  void limit(int blocks) {
    int limit = Math.min(mostRemembered, blocks);
    capacity = capacity == most ? limit : Math.min(capacity, limit);
    most = limit;
    shrink();
  }

  int size() {
    return blocks.size();
  }

  /** Returns the most blocks that the engine is believed to hold. */
  int capacity() {
    return capacity;
  }

  /** Returns how many of the first blocks of a prompt are believed to be cached. */
  int match(long[] chain) {
    return match(chain, false);
  }

  /** Returns how many were used by a request whose answer has begun, so that they are computed. */
  int proven(long[] chain) {
    return match(chain, true);
  }

  private int match(long[] chain, boolean proven) {
    int matched = 0;
    while (matched < chain.length) {
      Block block = blocks.get(chain[matched]);
      if (block == null || (proven && !block.proven)) {
        return matched;
      }
      matched++;
    }
    return matched;
  }

  /**
   * Adds the blocks of a prompt, or makes them the most recently used ones.
   *
   * @param proven whether the engine has computed them
   */
  void use(long[] chain, boolean proven, long now) {
    int length = Math.min(chain.length, capacity);
    Block parent = null;
    for (int i = 0; i < length; i++) {
      Block block = blocks.get(chain[i]);
      if (block == null) {
        block = new Block(chain[i], parent);
        blocks.put(chain[i], block);
      }
      block.usedNanos = now;
      block.proven |= proven;
      parent = block;
    }
    for (int i = length - 1; i >= 0; i--) {
      blocks.getAndMoveToLast(chain[i]);
    }
    shrink();
  }

  /** The least recently used block has no children, because these are used with it and before. */
  private void shrink() {
    while (blocks.size() > capacity) {
      Block oldest = blocks.removeFirst();
      oldest.unlink();
      dropped.addAndMoveToLast(oldest.hash);
    }
    while (dropped.size() > capacity) {
      dropped.removeFirstLong();
    }
  }

  /**
   * Learns how many blocks of a prompt were cached, in place of those believed. Call it before the
   * blocks are used again.
   *
   * @param believed the blocks that were proven when the request was sent
   * @param cached those that were
   */
  void correct(long[] chain, int believed, int cached) {
    if (cached < believed) {
      int before = blocks.size();
      forget(chain, cached);
      if (blocks.size() < before / 2) {
        // No eviction removes the most recently used blocks: the cache was emptied.
        clear();
      } else {
        capacity = Math.min(capacity, blocks.size());
        shrink();
      }
      return;
    }
    for (int i = believed; i < Math.min(cached, chain.length) && capacity < most; i++) {
      if (dropped.remove(chain[i])) {
        capacity++;
      }
    }
  }

  /** Removes a block of a prompt, and all blocks that continue it. */
  void forget(long[] chain, int first) {
    Block from = first < chain.length ? blocks.get(chain[first]) : null;
    if (from != null) {
      from.unlink();
    }
    // Downwards to a leaf, which is removed, and on with what is left.
    Block at = from;
    while (at != null) {
      Block below = at.child;
      if (below != null) {
        at = below;
      } else {
        blocks.remove(at.hash);
        Block up = at == from ? null : at.parent;
        if (up != null) {
          up.child = at.after;
        }
        at = up;
      }
    }
  }

  /** Forgets everything: the engine has started again. */
  void clear() {
    blocks.clear();
    dropped.clear();
    capacity = most;
  }

  /** Returns for how long the next block to be evicted was not used; without limit if none is. */
  long idleNanos(long now) {
    return blocks.size() < capacity
        ? Long.MAX_VALUE
        : now - blocks.get(blocks.firstLongKey()).usedNanos;
  }
}

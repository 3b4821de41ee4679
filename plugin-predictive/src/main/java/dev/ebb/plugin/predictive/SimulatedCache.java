package dev.ebb.plugin.predictive;

import dev.ebb.spi.GhostList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A cache of fingerprints that evicts leaves with a low survival index. As in {@link Selection},
 * half of a sample is evicted before the next one is drawn.
 */
final class SimulatedCache {

  private static final int ABSENT = -1;

  // How long a sample serves, in nanoseconds.
  private static final long LIFETIME = 1_000_000_000;

  private final IndexCache indices;
  private final int samples;

  /** The slot of each block, by fingerprint. */
  private final GhostList slots = new GhostList(GhostList.MAX_CAPACITY);

  private Block[] blocks = new Block[64];
  private int created;

  /** The blocks that are not in use, linked by their parents. */
  private @Nullable Block free;

  private Block[] leaves = new Block[64];
  private int leafCount;

  /** The deepest block of the request that is served. */
  private @Nullable Block inUse;

  // The sample, lowest index first: the bits of the index above the slot.
  private final long[] order;
  private int next;
  private int end;
  private int left;
  private long drawnAt;
  private int random = 1;

  /** A block, whose object is used again after its eviction. */
  private static final class Block {
    final int slot;
    long fingerprint;
    int blockClass;
    long born;

    /** Its entry in the sample, if it has not been used since. */
    long key = ABSENT;

    @Nullable Block parent;
    int children;
    int place = ABSENT;

    Block(int slot) {
      this.slot = slot;
    }
  }

  /**
   * Creates an empty cache.
   *
   * @param samples how many leaves to draw for victims
   */
  SimulatedCache(IndexCache indices, int samples) {
    this.indices = indices;
    this.samples = samples;
    order = new long[2 * samples];
  }

  boolean has(long fingerprint) {
    return slots.contains(fingerprint);
  }

  /**
   * Serves a request: its missing blocks are inserted while there is room, or a victim that is
   * worth less.
   *
   * @param chain its simulated blocks
   * @param admits a new block must be worth this share of its victim
   * @return how many leading blocks were resident
   */
  int serve(SampledChain chain, long room, double admits, long now) {
    Block last = null;
    int count = chain.size();
    int matched = 0;
    for (Block block = find(chain, 0); block != null; block = find(chain, matched)) {
      use(block, chain.blockClass(matched), now);
      last = block;
      matched++;
    }
    if (last != null) {
      removeLeaf(last);
    }
    inUse = last;
    for (int i = matched; i < count && makeRoom(room, chain.expected(i), admits, now); i++) {
      inUse = insert(chain.fingerprint(i), inUse);
      use(inUse, chain.blockClass(i), now);
    }
    last = inUse;
    inUse = null;
    if (last != null && last.children == 0) {
      addLeaf(last);
      join(last, now);
    }
    return matched;
  }

  private @Nullable Block find(SampledChain chain, int index) {
    return index < chain.size() ? find(chain.fingerprint(index)) : null;
  }

  private @Nullable Block find(long fingerprint) {
    int slot = (int) slots.value(fingerprint, ABSENT);
    return slot == ABSENT ? null : blocks[slot];
  }

  /**
   * Uses a block alone, which is inserted if it is missing.
   *
   * @return whether it was resident
   */
  boolean use(long fingerprint, int blockClass, long room, long now) {
    Block found = find(fingerprint);
    if (found != null) {
      use(found, blockClass, now);
      return true;
    }
    makeRoom(room, blockClass, 0, now);
    Block block = insert(fingerprint, null);
    use(block, blockClass, now);
    addLeaf(block);
    join(block, now);
    return false;
  }

  private void use(Block block, int blockClass, long now) {
    block.blockClass = blockClass;
    block.born = now;
    block.key = ABSENT;
  }

  private Block insert(long fingerprint, @Nullable Block parent) {
    Block block = free;
    if (block == null) {
      block = create();
    } else {
      free = block.parent;
    }
    block.fingerprint = fingerprint;
    block.parent = parent;
    if (parent != null) {
      parent.children++;
    }
    slots.add(fingerprint, block.slot);
    return block;
  }

  private Block create() {
    if (created == blocks.length) {
      blocks = Arrays.copyOf(blocks, created * 2);
    }
    Block block = new Block(created);
    blocks[created++] = block;
    return block;
  }

  /** Removes a block if no other one follows it. */
  void remove(long fingerprint) {
    Block block = find(fingerprint);
    if (block != null && block.place != ABSENT) {
      drop(block);
    }
  }

  void clear() {
    while (leafCount > 0) {
      drop(leaves[leafCount - 1]);
    }
  }

  private boolean makeRoom(long room, int blockClass, double admits, long now) {
    while (slots.size() >= room) {
      Block victim = coldest(now);
      if (victim == null
          || indices.index(blockClass, 0, 0)
              < admits * Float.intBitsToFloat(indexOf(victim, now))) {
        return false;
      }
      evict(victim, now);
    }
    return true;
  }

  /** Returns the next victim of the sample; null if there is no leaf. */
  private @Nullable Block coldest(long now) {
    while (leafCount > 0) {
      if (next == end || left <= 0 || now - drawnAt > LIFETIME) {
        draw(now);
      }
      Block block = blocks[(int) order[next]];
      if (block.place != ABSENT && block.key == order[next]) {
        return block;
      }
      next++;
    }
    return null;
  }

  private void draw(long now) {
    drawnAt = now;
    boolean all = leafCount <= samples;
    int count = all ? leafCount : samples;
    for (int i = 0; i < count; i++) {
      order[i] = key(leaves[all ? i : draw()], now);
    }
    Arrays.sort(order, 0, count);
    next = 0;
    end = count;
    left = all ? Integer.MAX_VALUE : (count + 1) / 2;
  }

  private long key(Block block, long now) {
    block.key = (long) indexOf(block, now) << Integer.SIZE | block.slot;
    return block.key;
  }

  private int indexOf(Block block, long now) {
    long age = Math.max(0, now - block.born);
    return Float.floatToRawIntBits(indices.index(block.blockClass, Ages.bin(age), age));
  }

  /** Evicts the first of the sample. Its parent may be the next one. */
  private void evict(Block victim, long now) {
    next++;
    left--;
    Block parent = victim.parent;
    drop(victim);
    if (parent != null && parent.place != ABSENT) {
      join(parent, now);
    }
  }

  /** Adds a leaf to the sample, if there is one. */
  private void join(Block leaf, long now) {
    if (next == end) {
      return;
    }
    long key = key(leaf, now);
    if (next > 0) {
      int at = --next;
      while (at + 1 < end && order[at + 1] < key) {
        order[at] = order[++at];
      }
      order[at] = key;
    } else if (end < order.length) {
      int at = end++;
      while (at > next && order[at - 1] > key) {
        order[at] = order[--at];
      }
      order[at] = key;
    }
  }

  /** Removes a leaf; its parent may become one. */
  private void drop(Block block) {
    removeLeaf(block);
    slots.remove(block.fingerprint);
    Block parent = block.parent;
    if (parent != null && --parent.children == 0 && parent != inUse) {
      addLeaf(parent);
    }
    block.parent = free;
    free = block;
  }

  private void addLeaf(Block block) {
    if (leafCount == leaves.length) {
      leaves = Arrays.copyOf(leaves, leafCount * 2);
    }
    block.place = leafCount;
    leaves[leafCount++] = block;
  }

  private void removeLeaf(Block block) {
    if (block.place != ABSENT) {
      Block moved = leaves[--leafCount];
      leaves[block.place] = moved;
      moved.place = block.place;
      block.place = ABSENT;
    }
  }

  /** Draws a place. The policy's own draws must not depend on what is simulated. */
  private int draw() {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return (int) (((random & 0xFFFF_FFFFL) * leafCount) >>> Integer.SIZE);
  }
}

package dev.ebb.plugin.predictive;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The choice of victims: a sample of the leaves, and leaves added meanwhile, in a heap with the
 * lowest survival index on top. Among equals it evicts the one used longest ago first, then the
 * deepest.
 *
 * <p>A leaf that a waiting request needs is spared while there are others.
 *
 * <p>One sample serves all victims of a request, and of the next ones if those were few. A large
 * request takes as many from one sample, so the quality is the same.
 */
final class Selection {

  // The share of a sample that several requests may take, and for how long, in nanoseconds.
  private static final int SHARED = 2;
  private static final long LIFETIME = 1_000_000_000;

  // Which part of a sample is evicted by last use: the order is to be as good as that of LRU.
  private static final int PRECISE = 8;

  private final Leaves leaves;
  private final Cohorts cohorts;
  private final IndexCache indices;
  private final WaitingBlocks waiting;
  private final int samples;

  // The sample by slot; and the heap: index as the bits of a float above the slot.
  private CachedBlock[] blocks = new CachedBlock[64];
  private int[] cohortOf = new int[64];
  private int slots;
  private long[] heap = new long[64];
  private int size;
  private int left;

  // Whether every leaf is in it, so that there is nothing more to draw.
  private boolean all;
  private long now;
  private boolean byLastUse;

  // Whether no leaf is spared, because waiting requests need all that can be evicted.
  private boolean sparesNone;

  /**
   * Creates an empty choice.
   *
   * @param waiting the blocks that waiting requests need
   * @param samples how many leaves to draw; all of them where there are no more
   */
  Selection(
      Leaves leaves, Cohorts cohorts, IndexCache indices, WaitingBlocks waiting, int samples) {
    this.leaves = leaves;
    this.cohorts = cohorts;
    this.indices = indices;
    this.waiting = waiting;
    this.samples = samples;
  }

  /**
   * Draws a sample.
   *
   * @param spares whether leaves that a waiting request needs are spared; if not, the one that is
   *     needed last is evicted after those that are not needed
   */
  void begin(long time, boolean spares) {
    end();
    now = time;
    left = victims();
    sparesNone = !spares;
    if (sparesNone) {
      leaves.spareNone();
    }
    all = leaves.drawable() <= samples;
    int draws = all ? leaves.drawable() : samples;
    for (int i = 0; i < draws; i++) {
      long key = take(all ? i : leaves.draw());
      heap[size++] = key;
    }
    for (int at = size / 2 - 1; at >= 0; at--) {
      siftDown(at, heap[at]);
    }
  }

  /** Starts a request: drops the sample if it has served enough, or its indices are old. */
  void renew(long time) {
    int victims = victims();
    if (left <= victims - victims / SHARED || time - now > LIFETIME) {
      end();
    }
  }

  /** Returns how many leaves of a sample may be evicted. */
  private int victims() {
    return byLastUse ? Math.max(1, samples / PRECISE) : samples;
  }

  /** Starts over, because other requests wait. */
  void waitingChanged() {
    end();
    leaves.spareNone();
  }

  /** Chooses the leaves used longest ago, or again those with the lowest index. */
  void byLastUse(boolean only) {
    if (only != byLastUse) {
      byLastUse = only;
      end();
    }
  }

  private void end() {
    for (int slot = 0; slot < slots; slot++) {
      clear(slot);
    }
    slots = 0;
    size = 0;
    left = 0;
  }

  /** Adds a leaf to the sample, if there is one. */
  void join(CachedBlock block) {
    if (left > 0) {
      join(block.place);
    }
  }

  /** Takes out the leaf with the lowest index, and draws one more; null if a new sample is due. */
  @Nullable CachedBlock next() {
    while (size > 0 && left > 0) {
      int slot = (int) heap[0];
      CachedBlock top = blocks[slot];
      size--;
      siftDown(0, heap[size]);
      // A leaf drawn twice may be gone, and one used since has another cohort and index.
      if (top.place != Leaves.ABSENT && top.cohort == cohortOf[slot]) {
        boolean spared = !sparesNone && waiting.needs(top);
        if (spared) {
          leaves.spare(top);
        } else {
          left--;
        }
        if (left > 0 && !all && leaves.drawable() > 0) {
          join(leaves.draw());
        }
        if (!spared) {
          return top;
        }
      }
    }
    return null;
  }

  private void join(int place) {
    long key = take(place);
    siftUp(0, size++, key);
  }

  // The key in the heap of the leaf at a position.
  private long take(int place) {
    if (slots == blocks.length) {
      blocks = Arrays.copyOf(blocks, slots * 2);
      cohortOf = Arrays.copyOf(cohortOf, slots * 2);
      heap = Arrays.copyOf(heap, slots * 2);
    }
    int slot = slots++;
    int cohort = leaves.cohort(place);
    blocks[slot] = leaves.get(place);
    cohortOf[slot] = cohort;
    return (rank(blocks[slot], cohort) << Integer.SIZE) | slot;
  }

  /** Returns an order among leaves, from 0 to 31 bits; the lowest is evicted first. */
  private long rank(CachedBlock block, int cohort) {
    int place = sparesNone && waiting.needs(block) ? waiting.place(block.entry.fingerprint()) : -1;
    if (place >= 0) {
      return (long) Integer.MAX_VALUE - place;
    }
    long age = Math.max(0, now - cohorts.born(cohort));
    if (byLastUse) {
      // In milliseconds; those of one moment are compared by their births.
      long recency = Integer.MAX_VALUE - Math.min(age >> 20, Integer.MAX_VALUE);
      return sparesNone ? recency >> 1 : recency;
    }
    return Float.floatToRawIntBits(
        indices.index(cohorts.blockClass(cohort), cohorts.bin(cohort), age));
  }

  private void siftUp(int top, int start, long key) {
    int at = start;
    while (at > top) {
      int parent = (at - 1) >>> 1;
      if (!before(key, heap[parent])) {
        break;
      }
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = key;
  }

  // To the bottom and up again, because the leaf that fills a hole mostly came from the bottom.
  private void siftDown(int start, long key) {
    int at = start;
    int child = 2 * at + 1;
    while (child < size) {
      if (child + 1 < size && before(heap[child + 1], heap[child])) {
        child++;
      }
      heap[at] = heap[child];
      at = child;
      child = 2 * at + 1;
    }
    siftUp(start, at, key);
  }

  private boolean before(long a, long b) {
    // No index is negative, and the bits of such floats are in their order.
    return (a ^ b) >>> Integer.SIZE != 0 ? a < b : olderOrDeeper((int) a, (int) b);
  }

  private boolean olderOrDeeper(int a, int b) {
    int byTime =
        cohortOf[a] == cohortOf[b]
            ? 0
            : Long.compare(cohorts.born(cohortOf[a]), cohorts.born(cohortOf[b]));
    return byTime != 0 ? byTime < 0 : deeperOrOlder(blocks[a], blocks[b]);
  }

  /** Compares blocks of cohorts that were born together. */
  private static boolean deeperOrOlder(CachedBlock a, CachedBlock b) {
    int byDepth = Integer.compare(depth(b), depth(a));
    return byDepth != 0 ? byDepth < 0 : lastUse(a) < lastUse(b);
  }

  // A removed block is skipped when it comes up; its entry may not be read.
  private static int depth(CachedBlock block) {
    return block.gone() ? -1 : block.entry.depth();
  }

  private static long lastUse(CachedBlock block) {
    return block.gone() ? -1 : block.entry.lastAccessTick();
  }

  // An unused slot must not keep a removed block alive.
  @SuppressWarnings("NullAway")
  private void clear(int slot) {
    blocks[slot] = null;
  }
}

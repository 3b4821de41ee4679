package dev.ebb.plugin.predictive;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The evictable blocks, in an array without gaps, so that one can be drawn at random. Beside each
 * is its cohort, so that most can be judged without a look at the block. Blocks that are spared,
 * because a waiting request needs them, are at its end, and are not drawn.
 */
final class Leaves {

  /** The place of a block that is not here. */
  static final int ABSENT = -1;

  private final RandomGenerator random;
  private CachedBlock[] blocks = new CachedBlock[64];
  private int[] cohorts = new int[64];
  private int size;

  /** Those that may be drawn; the ones behind them are spared. */
  private int drawable;

  Leaves(RandomGenerator random) {
    this.random = random;
  }

  int size() {
    return size;
  }

  int drawable() {
    return drawable;
  }

  CachedBlock get(int place) {
    return blocks[place];
  }

  int cohort(int place) {
    return cohorts[place];
  }

  /** Draws a position of those not spared, each with the same probability; there must be one. */
  int draw() {
    return (int) (((random.nextInt() & 0xFFFF_FFFFL) * drawable) >>> Integer.SIZE);
  }

  /** Adds a block, or updates its cohort. */
  void add(CachedBlock block) {
    if (block.place != ABSENT) {
      cohorts[block.place] = block.cohort;
      return;
    }
    if (size == blocks.length) {
      blocks = Arrays.copyOf(blocks, size * 2);
      cohorts = Arrays.copyOf(cohorts, size * 2);
    }
    size++;
    move(drawable, size - 1);
    put(block, block.cohort, drawable++);
  }

  /** Stops drawing a block. */
  void spare(CachedBlock block) {
    int place = block.place;
    if (place < drawable) {
      int cohort = cohorts[place];
      move(--drawable, place);
      put(block, cohort, drawable);
    }
  }

  /** Draws all blocks again. */
  void spareNone() {
    drawable = size;
  }

  void remove(CachedBlock block) {
    int gap = block.place;
    if (gap == ABSENT) {
      return;
    }
    if (gap < drawable) {
      move(--drawable, gap);
      gap = drawable;
    }
    move(--size, gap);
    block.place = ABSENT;
    clear(size);
  }

  private void move(int from, int to) {
    if (from != to) {
      put(blocks[from], cohorts[from], to);
    }
  }

  private void put(CachedBlock block, int cohort, int place) {
    blocks[place] = block;
    cohorts[place] = cohort;
    block.place = place;
  }

  // The unused tail must not keep a removed block alive.
  @SuppressWarnings("NullAway")
  private void clear(int place) {
    blocks[place] = null;
  }
}

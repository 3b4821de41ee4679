package dev.ebb.plugin.predictive;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The evictable blocks, in an array without gaps, so that one can be drawn at random. Beside each
 * is its cohort, so that most can be judged without a look at the block.
 */
final class Leaves {

  /** The place of a block that is not here. */
  static final int ABSENT = -1;

  private final RandomGenerator random;
  private CachedBlock[] blocks = new CachedBlock[64];
  private int[] cohorts = new int[64];
  private int size;

  Leaves(RandomGenerator random) {
    this.random = random;
  }

  int size() {
    return size;
  }

  CachedBlock get(int place) {
    return blocks[place];
  }

  int cohort(int place) {
    return cohorts[place];
  }

  /** Draws a position, each with the same probability; there must be one. */
  int draw() {
    return (int) (((random.nextInt() & 0xFFFF_FFFFL) * size) >>> Integer.SIZE);
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
    block.place = size;
    cohorts[size] = block.cohort;
    blocks[size++] = block;
  }

  void remove(CachedBlock block) {
    int place = block.place;
    if (place == ABSENT) {
      return;
    }
    CachedBlock last = blocks[--size];
    blocks[place] = last;
    cohorts[place] = cohorts[size];
    last.place = place;
    block.place = ABSENT;
    clear(size);
  }

  // The unused tail must not keep a removed block alive.
  @SuppressWarnings("NullAway")
  private void clear(int place) {
    blocks[place] = null;
  }
}

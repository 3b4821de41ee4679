package dev.ebb.host.replay.fit;

import it.unimi.dsi.fastutil.ints.IntArrayList;

/**
 * Prompts that begin with blocks of earlier ones. Each is stored as its own new blocks, and the
 * prompt that it continues. Numbers prompts from 0.
 */
final class PromptTree {

  /** The blocks at the front of a prompt that come from its parent. */
  private final IntArrayList shared = new IntArrayList();

  /** The prompt that has the last of these blocks as a new one. */
  private final IntArrayList parents = new IntArrayList();

  private final IntArrayList firstNew = new IntArrayList();

  /**
   * Adds a prompt.
   *
   * @param parent a prompt that has the shared blocks; any number if there are none
   * @param sharedBlocks how many blocks at the front it has of its parent
   * @param firstNewBlock its first new block; the others have the numbers that follow
   */
  void add(int parent, int sharedBlocks, int firstNewBlock) {
    parents.add(sharedBlocks == 0 ? parent : owner(parent, sharedBlocks));
    shared.add(sharedBlocks);
    firstNew.add(firstNewBlock);
  }

  /**
   * Returns a block of a prompt.
   *
   * @param depth its place, from 1
   */
  int block(int prompt, int depth) {
    int owner = owner(prompt, depth);
    return firstNew.getInt(owner) + depth - shared.getInt(owner) - 1;
  }

  /** Copies the first blocks of a prompt. */
  void copy(int prompt, int length, int[] target) {
    int from = prompt;
    int left = length;
    while (left > 0) {
      int before = shared.getInt(from);
      for (int i = before; i < left; i++) {
        target[i] = firstNew.getInt(from) + i - before;
      }
      left = Math.min(left, before);
      from = parents.getInt(from);
    }
  }

  private int owner(int prompt, int depth) {
    int owner = prompt;
    while (depth <= shared.getInt(owner)) {
      owner = parents.getInt(owner);
    }
    return owner;
  }
}

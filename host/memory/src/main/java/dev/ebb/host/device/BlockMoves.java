package dev.ebb.host.device;

import java.util.Arrays;

/** A reusable list of copies of whole blocks. Not thread-safe. */
public final class BlockMoves {

  private int[] from;
  private int[] to;
  private int count;

  /** Creates an empty list. */
  public BlockMoves(int capacity) {
    from = new int[capacity];
    to = new int[capacity];
  }

  /**
   * Adds a copy.
   *
   * @param source the block to copy, 0 or more
   * @param target the block to overwrite, 0 or more
   */
  public void add(int source, int target) {
    if (source < 0 || target < 0) {
      throw new IllegalArgumentException(
          "block '%d' or '%d' is negative".formatted(source, target));
    }
    if (count == from.length) {
      int capacity = Math.max(8, count * 2);
      from = Arrays.copyOf(from, capacity);
      to = Arrays.copyOf(to, capacity);
    }
    from[count] = source;
    to[count++] = target;
  }

  public void clear() {
    count = 0;
  }

  /** Returns the number of copies. */
  public int count() {
    return count;
  }

  /**
   * Returns the block that a copy reads.
   *
   * @param move 0 to {@code count() - 1}
   */
  public int from(int move) {
    return from[move];
  }

  /**
   * Returns the block that a copy overwrites.
   *
   * @param move 0 to {@code count() - 1}
   */
  public int to(int move) {
    return to[move];
  }

  /** Returns how many copies from this one on have adjacent sources and adjacent targets. */
  int run(int move) {
    int end = move + 1;
    while (end < count && from[end] == from[end - 1] + 1 && to[end] == to[end - 1] + 1) {
      end++;
    }
    return end - move;
  }
}

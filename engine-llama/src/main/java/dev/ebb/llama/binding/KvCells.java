package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The content of a context's KV cells at one moment. Reuses its memory. Not thread-safe. */
public final class KvCells {

  private int[] positions = {};
  private long[] sorting = {};
  private int used;

  /**
   * Copies the current content: the logical position of each cell's token, less than 0 if it is
   * free.
   */
  void take(MemorySegment at, int count) {
    if (positions.length != count) {
      positions = new int[count];
    }
    MemorySegment.copy(at, JAVA_INT, 0, positions, 0, count);
    used = 0;
    for (int position : positions) {
      used += position < 0 ? 0 : 1;
    }
  }

  public int count() {
    return positions.length;
  }

  public int used() {
    return used;
  }

  /** Returns the logical position of the token in a cell, less than 0 if it is free. */
  public int position(int cell) {
    return positions[cell];
  }

  /**
   * Returns the maximum number of tokens that one batch can store now, because they need adjacent
   * free cells.
   */
  public int longestFree() {
    int longest = 0;
    int run = 0;
    for (int position : positions) {
      run = position < 0 ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /** Returns the cells with a token, lower positions first, in the given room if it suffices. */
  public int[] inOrder(int... room) {
    if (sorting.length < used) {
      sorting = new long[used + used / 4];
    }
    int next = 0;
    for (int cell = 0; cell < positions.length; cell++) {
      if (positions[cell] >= 0) {
        sorting[next++] = (long) positions[cell] << Integer.SIZE | cell;
      }
    }
    Arrays.sort(sorting, 0, used);
    int[] out = room.length < used ? new int[used] : room;
    for (int i = 0; i < used; i++) {
      out[i] = (int) sorting[i];
    }
    return out;
  }
}

package dev.ebb.host.pool.runs;

/**
 * Allocates block numbers, as contiguous runs of any length or scattered. Not thread-safe;
 * allocates nothing on the heap.
 *
 * <p>A freed run merges immediately with the free runs on either side, as in a buddy system. There
 * is a free list for each length (for eight lengths per power of two above 64). Unlike in a buddy
 * system any two neighbours merge and no length is rounded up. A request takes the shortest run
 * that is long enough and returns its tail. A request for a run fails only if there is no such run.
 */
public final class RunAllocator {

  /** The result of {@link #allocate} if there is no such run. */
  public static final int NONE = FreeRuns.NONE;

  /** The maximum number of blocks. */
  public static final int MAX_BLOCKS = (1 << 29) - 1;

  private final int blocks;
  private final BlockBits freeBits;
  private final FreeRuns runs;
  private int freeBlocks;

  /**
   * Creates an allocator with all blocks free.
   *
   * @param blocks how many, 1 to {@link #MAX_BLOCKS}
   * @param shortRun the length below which a free run counts as fragmented, at least 1
   */
  public RunAllocator(int blocks, int shortRun) {
    if (blocks < 1 || blocks > MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "blocks '%d' must be from 1 to %d".formatted(blocks, MAX_BLOCKS));
    }
    this.blocks = blocks;
    freeBits = new BlockBits(blocks);
    runs = new FreeRuns(blocks, shortRun);
    free(0, blocks);
  }

  /** Returns the number of blocks, free or not. */
  public int blocks() {
    return blocks;
  }

  /** Returns how many blocks are free: 0 to {@code blocks()}. */
  public int freeBlocks() {
    return freeBlocks;
  }

  /**
   * Returns the share of the free blocks that lie in short runs. A single run is not fragmented,
   * however short it is.
   *
   * @return 0 to 1
   */
  public double fragmentation() {
    return runs.count() < 2 ? 0 : (double) runs.shortBlocks() / freeBlocks;
  }

  /** Returns the longest free run: blocks, 0 if none is free. */
  public int largestRun() {
    return runs.longest();
  }

  /**
   * Returns whether a block is free.
   *
   * @param block 0 to {@code blocks() - 1}
   */
  public boolean isFree(int block) {
    return freeBits.get(block);
  }

  /**
   * Takes a contiguous run.
   *
   * @param length blocks, at least 1
   * @return its first block, or {@link #NONE} if there is no such run
   */
  public int allocate(int length) {
    if (length < 1) {
      throw new IllegalArgumentException("length '%d' must be at least 1".formatted(length));
    }
    int first = runs.find(length);
    if (first != NONE) {
      takeFront(first, length);
    }
    return first;
  }

  /**
   * Allocates scattered blocks, from the shortest runs first. Succeeds if enough are free.
   *
   * @param count how many, 0 or more
   * @return false, with nothing taken, if fewer are free
   */
  public boolean allocateScattered(int[] into, int from, int count) {
    if (count > freeBlocks) {
      return false;
    }
    int end = from + count;
    for (int filled = from; filled < end; ) {
      int first = runs.head(runs.filledFrom(0));
      int part = Math.min(runs.length(first), end - filled);
      takeFront(first, part);
      for (int i = 0; i < part; i++) {
        into[filled++] = first + i;
      }
    }
    return true;
  }

  /**
   * Frees blocks, in any grouping.
   *
   * @param length blocks, at least 1
   * @throws IllegalStateException if one of them is already free or out of range; nothing is
   *     changed then
   */
  public void free(int first, int length) {
    if (first < 0 || length < 1 || length > blocks - first || !freeBits.setAll(first, length)) {
      throw new IllegalStateException(
          "blocks '%d' to '%d' are not all allocated blocks from 0 to %d"
              .formatted(first, first + length - 1L, blocks - 1));
    }
    freeBlocks += length;
    int start = first;
    int end = first + length;
    if (start > 0 && freeBits.get(start - 1)) {
      start = runs.firstOf(start - 1);
      runs.remove(start);
    }
    if (end < blocks && freeBits.get(end)) {
      int after = end;
      end += runs.length(after);
      runs.remove(after);
    }
    runs.add(start, end - start);
  }

  /** Allocates from a run shorter than a limit, or returns {@link #NONE}. */
  public int allocateInHole(int length, int limit) {
    int first = runs.find(length);
    if (first == NONE || runs.length(first) >= limit) {
      return NONE;
    }
    takeFront(first, length);
    return first;
  }

  /** Allocates particular blocks, all of them free. */
  public void takeAt(int first, int length) {
    int start = first;
    while (start > 0 && freeBits.get(start - 1)) {
      start--;
    }
    takeFront(start, first - start + length);
    if (first > start) {
      free(start, first - start);
    }
  }

  public int countFree(int first, int length) {
    return freeBits.count(first, length);
  }

  /** Returns the first free block of a range, or its end. */
  public int firstFree(int first, int length) {
    return freeBits.firstSet(first, length);
  }

  public int firstTaken(int first, int length) {
    return freeBits.firstClear(first, length);
  }

  private void takeFront(int first, int length) {
    int whole = runs.length(first);
    runs.remove(first);
    freeBits.clearAll(first, length);
    freeBlocks -= length;
    if (whole > length) {
      runs.add(first + length, whole - length);
    }
  }
}

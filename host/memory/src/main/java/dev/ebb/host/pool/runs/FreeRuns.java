package dev.ebb.host.pool.runs;

import java.util.Arrays;

/**
 * The free runs, found by length and by either end. A run's length is stored at its first and at
 * its last block, so that a freed run finds its neighbours. The runs of a bin are linked through
 * their first blocks.
 */
final class FreeRuns {

  static final int NONE = -1;

  // A run's line: length, next and previous run of its bin. One line, so one cache miss.
  private static final int NEXT = 1;
  private static final int PREVIOUS = 2;
  private static final int FIRST_OF = 3;

  private final int[] lines;
  private final int[] heads = new int[RunBins.COUNT];
  private final long[] filled = new long[(RunBins.COUNT + 63) >>> 6];

  private final int shortRun;
  private int shortBlocks;
  private int count;

  /** Creates an empty set. Runs below {@code shortRun} blocks are counted apart. */
  FreeRuns(int blocks, int shortRun) {
    this.shortRun = shortRun;
    lines = new int[Math.multiplyExact(blocks, 4)];
    Arrays.fill(heads, NONE);
  }

  /** Returns the number of free blocks in short runs. */
  int shortBlocks() {
    return shortBlocks;
  }

  /** Returns the number of runs. */
  int count() {
    return count;
  }

  int length(int first) {
    return lines[first << 2];
  }

  /** Returns the first block of the free run that ends with this block. */
  int firstOf(int last) {
    return lines[(last << 2) + FIRST_OF];
  }

  int next(int first) {
    return lines[(first << 2) + NEXT];
  }

  int head(int bin) {
    return heads[bin];
  }

  /** Returns the lowest bin from this one on that holds a run, or {@link #NONE}. */
  int filledFrom(int bin) {
    int word = bin >>> 6;
    if (word >= filled.length) {
      return NONE;
    }
    long bits = filled[word] & -1L << bin;
    while (bits == 0) {
      if (++word == filled.length) {
        return NONE;
      }
      bits = filled[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }

  /** Returns the length of the longest run, 0 if there is none. */
  int longest() {
    int longest = 0;
    for (int word = filled.length - 1; word >= 0; word--) {
      if (filled[word] != 0) {
        int bin = (word << 6) + 63 - Long.numberOfLeadingZeros(filled[word]);
        for (int run = heads[bin]; run != NONE; run = next(run)) {
          longest = Math.max(longest, length(run));
        }
        return longest;
      }
    }
    return longest;
  }

  /** Returns the shortest run that has at least this length, or {@link #NONE}. */
  int find(int length) {
    int bin = filledFrom(RunBins.sureBin(length));
    if (length > RunBins.EXACT) {
      int mixed = findInMixed(length);
      if (mixed != NONE) {
        return mixed;
      }
    }
    return bin == NONE ? NONE : heads[bin];
  }

  private int findInMixed(int length) {
    int run = heads[RunBins.bin(length)];
    while (run != NONE && length(run) < length) {
      run = next(run);
    }
    return run;
  }

  void add(int first, int length) {
    int[] lines = this.lines;
    int line = first << 2;
    int bin = RunBins.bin(length);
    int head = heads[bin];
    count++;
    lines[line] = length;
    lines[line + NEXT] = head;
    lines[line + PREVIOUS] = NONE;
    lines[((first + length - 1) << 2) + FIRST_OF] = first;
    if (head == NONE) {
      filled[bin >>> 6] |= 1L << bin;
    } else {
      lines[(head << 2) + PREVIOUS] = first;
    }
    heads[bin] = first;
    if (length < shortRun) {
      shortBlocks += length;
    }
  }

  void remove(int first) {
    int[] lines = this.lines;
    int line = first << 2;
    int after = lines[line + NEXT];
    int before = lines[line + PREVIOUS];
    int length = lines[line];
    count--;
    if (length < shortRun) {
      shortBlocks -= length;
    }
    if (after != NONE) {
      lines[(after << 2) + PREVIOUS] = before;
    }
    if (before != NONE) {
      lines[(before << 2) + NEXT] = after;
      return;
    }
    int bin = RunBins.bin(length);
    heads[bin] = after;
    if (after == NONE) {
      filled[bin >>> 6] &= ~(1L << bin);
    }
  }
}

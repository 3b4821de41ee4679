package dev.ebb.host.admin.pool;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** The number of blocks of each kind in each cell of a pool map. */
final class CellCounts {

  private final int blocks;
  private final int cellBlocks;
  private final int kinds;

  private final int[] counts;

  /**
   * Counts the blocks.
   *
   * @param cells at most so many, at least 1
   * @param kind returns the kind of a block, from 0; negative for none
   */
  CellCounts(int blocks, int cells, int kinds, IntUnaryOperator kind) {
    this.blocks = blocks;
    this.kinds = kinds;
    cellBlocks = Math.max(1, Math.ceilDiv(blocks, cells));
    counts = new int[Math.ceilDiv(blocks, cellBlocks) * kinds];
    for (int block = 0; block < blocks; block++) {
      int here = kind.applyAsInt(block);
      if (here >= 0) {
        counts[block / cellBlocks * kinds + here]++;
      }
    }
  }

  int cellBlocks() {
    return cellBlocks;
  }

  private IntStream cells() {
    return IntStream.range(0, counts.length / kinds);
  }

  private int count(int cell, int kind) {
    return counts[cell * kinds + kind];
  }

  int total(int kind) {
    return cells().map(cell -> count(cell, kind)).sum();
  }

  /** Returns the most frequent kind of each cell; the first one of equally frequent kinds. */
  IntStream most() {
    return cells()
        .map(cell -> {
          int most = 0;
          for (int kind = 1; kind < kinds; kind++) {
            most = count(cell, kind) > count(cell, most) ? kind : most;
          }
          return most;
        });
  }

  /**
   * Returns a digit for each cell: 0 for none of its blocks, 9 for all, otherwise the share in
   * between.
   */
  String shares(int kind) {
    StringBuilder digits = new StringBuilder();
    cells()
        .forEach(cell -> {
          int size = Math.min(cellBlocks, blocks - cell * cellBlocks);
          int count = count(cell, kind);
          long share = Math.round(9.0 * count / size);
          digits.append(count == 0 || count == size ? share : Math.clamp(share, 1, 8));
        });
    return digits.toString();
  }
}

package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.Packing;
import java.util.Arrays;

/** Moves rows of K and V as planned by a {@link Packing}. */
final class RowPacking {

  private final KvLayout layout;
  private final Packing packing;
  private final BlockMoves moves = new BlockMoves(0);

  RowPacking(KvLayout layout, Packing packing) {
    this.layout = layout;
    this.packing = packing;
  }

  /** Returns whether each row of a slab has a number, which moves of single rows need. */
  static boolean mayFill(KvLayout layout, SequenceBlocks home) {
    return home.partition.pool.blocks() * (long) rowsPerBlock(layout) <= Integer.MAX_VALUE;
  }

  private static int rowsPerBlock(KvLayout layout) {
    return 2 * layout.lanes() * layout.blockTokens();
  }

  /** Moves the rows of tables whose written blocks are not shared; returns the rows of K. */
  long run(Slab slab, int[][] tables, int[] counts) {
    long rows = 0;
    moves.clear();
    for (int group = 0; group < tables.length; group++) {
      int moved = moved(group);
      rows += moved;
      if (moved > 0 && packing.filling()) {
        fill(group, tables[group]);
      } else if (moved > 0) {
        slab.gatherTokens(gather(group, Arrays.copyOf(tables[group], counts[group])));
      }
    }
    if (moves.count() > 0) {
      slab.copyBlocks(moves, layout.rowBytes());
    }
    return rows;
  }

  private int moved(int group) {
    int rows = 0;
    for (int lane = 0; lane < layout.lanes(); lane++) {
      rows += packing.moved(setOf(group, lane));
    }
    return rows;
  }

  private void fill(int group, int[] table) {
    int tokens = layout.blockTokens();
    for (int lane = 0; lane < layout.lanes(); lane++) {
      int set = setOf(group, lane);
      for (int move = 0; move < packing.moved(set); move++) {
        int from = packing.from(set, move);
        int to = packing.to(set, move);
        for (int value = 0; value < 2; value++) {
          int plane = (lane * 2 + value) * tokens;
          moves.add(
              table[from / tokens] * rowsPerBlock(layout) + plane + from % tokens,
              table[to / tokens] * rowsPerBlock(layout) + plane + to % tokens);
        }
      }
    }
  }

  private TokenGather gather(int group, int[] table) {
    int first = setOf(group, 0);
    boolean alike = first == setOf(group, layout.lanes() - 1);
    int[][] kept = new int[alike ? 1 : layout.lanes()][];
    for (int lane = 0; lane < kept.length; lane++) {
      kept[lane] = packing.sources(setOf(group, lane));
    }
    return new TokenGather(
        table, layout.lanes(), layout.blockTokens(), layout.rowBytes(), packing.kept(first), kept);
  }

  private int setOf(int group, int lane) {
    int lanes = layout.lanes();
    return (group * lanes + lane) * packing.sets() / (lanes * layout.laneGroups());
  }
}

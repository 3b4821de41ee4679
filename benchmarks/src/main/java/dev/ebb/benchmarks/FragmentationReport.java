package dev.ebb.benchmarks;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.PoolFullException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The fragmentation of a pool that is kept nine tenths full for a million operations. Runs of 1 to
 * 32 blocks live for random times. Also counts runs that are refused although enough blocks are
 * free.
 */
public final class FragmentationReport {

  private static final int OPERATIONS = 1_000_000;
  private static final int LONGEST = 32;
  private static final long SLICE = 1 << 20;
  private static final KvLayout LAYOUT = new KvLayout(1, 1, 8, 2, DType.FP16);
  private static final BlockOwner OWNER = new BlockOwner("report");

  private final KvPool pool;
  private final SplittableRandom random = new SplittableRandom(7);
  private final List<int[]> runs = new ArrayList<>();
  // The run and the place in it of each block.
  private final int[][] runOf;
  private final int[] placeOf;
  private long requests;
  private long refused;
  private long moved;

  private FragmentationReport(KvPool pool) {
    this.pool = pool;
    runOf = new int[pool.blocks()][];
    placeOf = new int[pool.blocks()];
    pool.movement().onMove(this::follow);
  }

  /**
   * Prints a line for each pool size and each rhythm of compaction.
   *
   * @param sizes the pools' sizes in blocks
   */
  public static void main(String[] sizes) {
    System.out.println(
        "    blocks  compaction        refused  utilisation  in short runs  moved/operation");
    for (String size : sizes) {
      for (int every : new int[] {0, 1000, 100, 1}) {
        try (HostDevice device = new HostDevice()) {
          long bytes = Long.parseLong(size) * LAYOUT.blockBytes();
          new FragmentationReport(KvPool.open(LAYOUT, device, bytes)).run(every);
        }
      }
    }
  }

  /** Compacts every so often; never if 0, and when a run is refused too if 1. */
  private void run(int every) {
    double utilisation = 0;
    double fragmentation = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      if (pool.freeBlocks() > pool.blocks() / 10) {
        allocate(Math.min(pool.freeBlocks(), 1 + random.nextInt(LONGEST)), every == 1);
      } else {
        free();
      }
      if (every > 1 && i % every == 0) {
        moved += pool.movement().compact(0.2, SLICE).blocksMoved();
      }
      if (i >= OPERATIONS / 2) {
        utilisation += 1 - (double) pool.freeBlocks() / pool.blocks();
        fragmentation += pool.stats().fragmentation();
      }
    }
    String rhythm =
        switch (every) {
          case 0 -> "none";
          case 1 -> "when refused";
          default -> "each " + every;
        };
    System.out.printf(
        "%10d  %-14s %8.3f %%  %10.1f %%  %11.1f %%  %15.2f%n",
        pool.blocks(),
        rhythm,
        100.0 * refused / requests,
        200 * utilisation / OPERATIONS,
        200 * fragmentation / OPERATIONS,
        (double) moved / OPERATIONS);
  }

  private void allocate(int length, boolean compact) {
    requests++;
    try {
      hold(pool.allocate(OWNER, length, Placement.CONTIGUOUS));
    } catch (PoolFullException full) {
      if (compact) {
        moved += pool.movement().makeRun(length).blocksMoved();
        try {
          hold(pool.allocate(OWNER, length, Placement.CONTIGUOUS));
          return;
        } catch (PoolFullException again) {
          // Refused for good.
        }
      }
      refused++;
      free();
    }
  }

  private void hold(int[] blocks) {
    for (int i = 0; i < blocks.length; i++) {
      runOf[blocks[i]] = blocks;
      placeOf[blocks[i]] = i;
    }
    runs.add(blocks);
  }

  private void free() {
    int index = random.nextInt(runs.size());
    pool.free(runs.get(index));
    runs.set(index, runs.getLast());
    runs.removeLast();
  }

  private void follow(BlockMoves moves) {
    for (int i = 0; i < moves.count(); i++) {
      int from = moves.from(i);
      int to = moves.to(i);
      runOf[to] = runOf[from];
      placeOf[to] = placeOf[from];
      runOf[to][placeOf[to]] = to;
    }
  }
}

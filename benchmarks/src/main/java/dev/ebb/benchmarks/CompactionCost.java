package dev.ebb.benchmarks;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Compaction of a pool of 4,000 blocks, half of them free, which moves 1,000 blocks, beside copies
 * of the same blocks one after the other. The two take turns, so that other load of the machine
 * hits both alike.
 */
final class CompactionCost {

  private static final BlockOwner OWNER = new BlockOwner("benchmark");
  private static final int BLOCKS = 4_000;
  private static final int MOVES = 1_000;

  private final KvPool pool;
  private final MemorySegment memory;
  private final long blockBytes;
  private int[] from = {};
  private int[] to = {};

  private CompactionCost(HostDevice device, int tokens) {
    KvLayout layout = new KvLayout(1, 1, 128, tokens, DType.FP16);
    blockBytes = layout.blockBytes();
    pool = KvPool.open(layout, device, BLOCKS * blockBytes);
    memory = pool.memory().slab().segment().orElseThrow();
    memory.fill((byte) 1);
    boolean[] recording = {true};
    pool.movement()
        .onMove(moves -> {
          if (recording[0]) {
            from = with(from, IntStream.range(0, moves.count()).map(moves::from));
            to = with(to, IntStream.range(0, moves.count()).map(moves::to));
          }
        });
    fragment();
    compact();
    recording[0] = false;
  }

  private static int[] with(int[] first, IntStream more) {
    return IntStream.concat(IntStream.of(first), more).toArray();
  }

  /** Frees each other block or so of a full pool. */
  private void fragment() {
    pool.free(IntStream.range(0, BLOCKS).filter(block -> pool.references(block) > 0).toArray());
    pool.allocate(OWNER, BLOCKS, Placement.SCATTERED);
    SplittableRandom random = new SplittableRandom(1);
    pool.free(IntStream.range(0, BLOCKS).filter(block -> random.nextBoolean()).toArray());
  }

  private void compact() {
    pool.movement().compact(0, MOVES * blockBytes);
  }

  private void copy() {
    for (int i = 0; i < from.length; i++) {
      MemorySegment.copy(memory, from[i] * blockBytes, memory, to[i] * blockBytes, blockBytes);
    }
  }

  private double micros(Runnable work) {
    fragment();
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e3;
  }

  private void measure(int rounds) {
    double[] compactions = new double[rounds];
    double[] copies = new double[rounds];
    for (int round = -rounds; round < rounds; round++) {
      int at = Math.max(0, round);
      compactions[at] = micros(this::compact);
      copies[at] = micros(this::copy);
    }
    Arrays.sort(compactions);
    Arrays.sort(copies);
    System.out.printf(
        Locale.ROOT, "%d blocks of %d KiB, us (share)%n", from.length, blockBytes >> 10);
    for (int percent : new int[] {0, 10, 50}) {
      int at = rounds * percent / 100;
      System.out.printf(
          Locale.ROOT,
          "%2d %% of the rounds: compaction %.1f, copies %.1f (%.0f %%)%n",
          percent,
          compactions[at],
          copies[at],
          100 * copies[at] / compactions[at]);
    }
  }

  /** Measures blocks of 8 and 64 KiB. The argument is the number of rounds for the former. */
  public static void main(String[] arguments) {
    int rounds = arguments.length == 0 ? 4_000 : Integer.parseInt(arguments[0]);
    for (int tokens : new int[] {16, 128}) {
      try (HostDevice device = new HostDevice()) {
        new CompactionCost(device, tokens).measure(rounds * 16 / tokens);
      }
    }
  }
}

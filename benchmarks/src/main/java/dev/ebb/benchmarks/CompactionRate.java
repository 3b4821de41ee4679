package dev.ebb.benchmarks;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * How quick compaction is beside plain copies of as many random blocks of that size with {@link
 * MemorySegment#copy} within one segment of the pool's size.
 */
public final class CompactionRate {

  private static final long POOL = 1L << 30;
  private static final int ROUNDS = 9;

  private CompactionRate() {}

  /**
   * Prints a line for each block size.
   *
   * @param sizes block sizes in KiB
   */
  public static void main(String[] sizes) {
    System.out.println("   block   compaction  plain copies  share");
    for (String size : sizes) {
      // K and V of a token in one lane: 512 bytes.
      KvLayout layout = new KvLayout(1, 1, 128, Integer.parseInt(size) * 2, DType.FP16);
      double compaction = 0;
      double copies = 0;
      for (int round = 0; round < ROUNDS; round++) {
        SplittableRandom random = new SplittableRandom(round);
        CompactionReport report = compact(layout, random);
        compaction = Math.max(compaction, report.bytesPerSecond());
        copies = Math.max(copies, copy(layout.blockBytes(), report.blocksMoved(), random));
      }
      System.out.printf(
          "%4s KiB  %6.2f GB/s  %7.2f GB/s   %4.0f %%%n",
          size, compaction / 1e9, copies / 1e9, 100 * compaction / copies);
    }
  }

  /** Two thirds of the blocks are taken, here and there. */
  private static CompactionReport compact(KvLayout layout, SplittableRandom random) {
    try (HostDevice device = new HostDevice();
        KvPool pool = KvPool.open(layout, device, POOL)) {
      int[] blocks = pool.allocate(new BlockOwner("rate"), pool.blocks(), Placement.SCATTERED);
      for (int block : blocks) {
        pool.memory().segment(block).orElseThrow().fill((byte) block);
      }
      for (int block : blocks) {
        if (random.nextInt(3) == 0) {
          pool.free(block);
        }
      }
      return pool.movement().compact(0.1, POOL / 8);
    }
  }

  private static double copy(long bytes, int count, SplittableRandom random) {
    // The same kind of mapping, so that huge pages favour neither.
    try (HostDevice device = new HostDevice()) {
      MemorySegment memory = device.reserve(POOL).segment().orElseThrow();
      int blocks = (int) (POOL / bytes);
      int[] from = random.ints(count, 0, blocks).toArray();
      int[] to = random.ints(count, 0, blocks).toArray();
      memory.fill((byte) 1);
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        MemorySegment.copy(memory, from[i] * bytes, memory, to[i] * bytes, bytes);
      }
      return count * bytes * 1e9 / (System.nanoTime() - start);
    }
  }
}

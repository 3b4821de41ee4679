package dev.ebb.benchmarks;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One free and one allocation of a run, by one thread and by two that share the pool. The pool
 * updates its lock, owners, references and the record of the result.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "--enable-native-access=ALL-UNNAMED")
public class PoolBenchmark {

  private static final KvLayout LAYOUT = new KvLayout(1, 1, 8, 2, DType.FP16);
  private static final BlockOwner OWNER = new BlockOwner("benchmark");

  @Param({"10000", "1000000"})
  int blocks;

  /** Blocks in a run. */
  @Param({"1", "10", "32"})
  int size;

  private HostDevice device = new HostDevice();
  private KvPool pool = KvPool.open(LAYOUT, device, LAYOUT.blockBytes());

  @Setup
  public void open() {
    device = new HostDevice();
    pool = KvPool.open(LAYOUT, device, (long) blocks * LAYOUT.blockBytes());
  }

  /** Gives the memory back. */
  @TearDown
  public void close() {
    device.close();
  }

  /** What one thread holds: four tenths of the pool. */
  @State(Scope.Thread)
  public static class Holder {

    private static final int MASK = (1 << 16) - 1;

    private final int[] picks = new int[MASK + 1];
    private int[][] held = new int[0][];
    private int next;

    /** Fills this thread's share. */
    @Setup
    public void fill(PoolBenchmark shared) {
      held = new int[shared.blocks / 10 * 4 / shared.size][];
      for (int i = 0; i < held.length; i++) {
        held[i] = shared.take();
      }
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < picks.length; i++) {
        picks[i] = random.nextInt(held.length);
      }
    }

    private int[] replace(PoolBenchmark shared) {
      int pick = picks[next++ & MASK];
      shared.pool.free(held[pick]);
      held[pick] = shared.take();
      return held[pick];
    }
  }

  private int[] take() {
    return pool.allocate(OWNER, size, Placement.CONTIGUOUS);
  }

  @Benchmark
  @Threads(1)
  public int[] oneThread(Holder holder) {
    return holder.replace(this);
  }

  /**
   * By two threads.
   *
   * @param holder what the thread holds
   */
  @Benchmark
  @Threads(2)
  public int[] twoThreads(Holder holder) {
    return holder.replace(this);
  }
}

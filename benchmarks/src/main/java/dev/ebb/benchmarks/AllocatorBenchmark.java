package dev.ebb.benchmarks;

import dev.ebb.host.pool.runs.RunAllocator;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One free and one allocation of a run, in a pool of which nine tenths are taken: the run freed is
 * a random one of those held.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AllocatorBenchmark {

  private static final int MASK = (1 << 20) - 1;

  /** Blocks in the pool. */
  @Param({"10000", "1000000"})
  int blocks;

  /** Blocks in a run. */
  @Param({"1", "10", "32"})
  int size;

  private RunAllocator allocator = new RunAllocator(1, 1);
  private int[] held = new int[0];
  private final int[] picks = new int[MASK + 1];
  private int next;

  /** Fills the pool to nine tenths. */
  @Setup
  public void fill() {
    allocator = new RunAllocator(blocks, 32);
    held = new int[blocks / 10 * 9 / size];
    for (int i = 0; i < held.length; i++) {
      held[i] = allocator.allocate(size);
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < picks.length; i++) {
      picks[i] = random.nextInt(held.length);
    }
  }

  /** Frees one run and allocates another. */
  @Benchmark
  public int freeAndAllocate() {
    int pick = picks[next++ & MASK];
    allocator.free(held[pick], size);
    int first = allocator.allocate(size);
    held[pick] = first;
    return first;
  }
}

package dev.ebb.benchmarks;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the benchmarks share, so that their times compare: settings, sizes and the stream. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
public abstract class ZipfBenchmark {

  /** Entries held by a full cache. */
  @Param({"1000", "100000", "1000000"})
  int residents;

  private int[] stream = new int[0];
  private int next;

  ZipfBenchmark() {}

  final void draw() {
    stream = Zipf.stream(residents);
  }

  /** The next of a zipf(0.9) stream. */
  final int next() {
    return stream[next++ & Zipf.MASK];
  }

  /**
   * A stream of ranks, popular with exponent 0.9, scattered so that neighbours in rank are not
   * neighbours in memory.
   */
  private static final class Zipf {

    static final int LENGTH = 1 << 20;
    static final int MASK = LENGTH - 1;

    private static final double EXPONENT = 0.9;

    private Zipf() {}

    /** {@link #LENGTH} numbers from 0 to {@code items - 1}. */
    static int[] stream(int items) {
      double[] cumulative = new double[items];
      double sum = 0;
      for (int i = 0; i < items; i++) {
        sum += Math.pow(i + 1, -EXPONENT);
        cumulative[i] = sum;
      }
      Random random = new Random(42);
      int[] scattered = new int[items];
      Arrays.setAll(scattered, i -> i);
      for (int i = items - 1; i > 0; i--) {
        int j = random.nextInt(i + 1);
        int swap = scattered[i];
        scattered[i] = scattered[j];
        scattered[j] = swap;
      }
      int[] stream = new int[LENGTH];
      for (int i = 0; i < LENGTH; i++) {
        int rank = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
        stream[i] = scattered[Math.min(items - 1, rank < 0 ? -rank - 1 : rank)];
      }
      return stream;
    }
  }
}

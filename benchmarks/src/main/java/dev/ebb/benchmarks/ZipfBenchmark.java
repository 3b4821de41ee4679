package dev.ebb.benchmarks;

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
}

package dev.ebb.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** The peer: a hit and a replacement in a full Caffeine cache that evicts on the calling thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
public class CaffeineBenchmark {

  /** Entries in the full cache. */
  @Param({"1000", "100000", "1000000"})
  int residents;

  private Cache<Long, Object> cache = Caffeine.newBuilder().maximumSize(1).build();
  private final Object value = new Object();
  private Long[] keys = new Long[0];
  private int[] stream = new int[0];
  private int next;
  private long fresh;

  /** Fills the cache. */
  @Setup
  public void fill() {
    cache = Caffeine.newBuilder().maximumSize(residents).executor(Runnable::run).build();
    stream = Zipf.stream(residents);
    keys = new Long[residents];
    for (int i = 0; i < residents; i++) {
      keys[i] = (long) i;
      cache.put(keys[i], value);
    }
    cache.cleanUp();
    fresh = residents;
  }

  /**
   * A hit on a zipf(0.9) stream.
   *
   * @return the value
   */
  @Benchmark
  public @Nullable Object hit() {
    return cache.getIfPresent(keys[stream[next++ & Zipf.MASK]]);
  }

  /** A new key in a full cache. */
  @Benchmark
  public void miss() {
    cache.put(fresh++, value);
  }
}

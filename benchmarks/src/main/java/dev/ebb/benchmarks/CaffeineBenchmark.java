package dev.ebb.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** The peer: a hit and a replacement in a full Caffeine cache that evicts on the calling thread. */
public class CaffeineBenchmark extends ZipfBenchmark {

  private Cache<Long, Object> cache = Caffeine.newBuilder().maximumSize(1).build();
  private final Object value = new Object();
  private Long[] keys = new Long[0];
  private long fresh;

  /** Fills the cache. */
  @Setup
  public void fill() {
    cache = Caffeine.newBuilder().maximumSize(residents).executor(Runnable::run).build();
    draw();
    keys = new Long[residents];
    for (int i = 0; i < residents; i++) {
      keys[i] = (long) i;
      cache.put(keys[i], value);
    }
    cache.cleanUp();
    fresh = residents;
  }

  /** A hit on a zipf(0.9) stream. */
  @Benchmark
  public @Nullable Object hit() {
    return cache.getIfPresent(keys[next()]);
  }

  /** A new key in a full cache. */
  @Benchmark
  public void miss() {
    cache.put(fresh++, value);
  }
}

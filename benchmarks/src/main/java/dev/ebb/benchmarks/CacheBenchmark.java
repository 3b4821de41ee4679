package dev.ebb.benchmarks;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.Demand;
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
 * The cache core with each policy: everything that a hit costs (look-up, pin, events, policy,
 * unpin) and everything that a miss in a full cache costs (look-up, victim, removal, insertion).
 * The same two things as {@link CaffeineBenchmark}, on the same stream.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
public class CacheBenchmark {

  /** The policy's name. */
  @Param({"lru", "fifo", "sieve", "s3-fifo", "arc", "lfu", "priority", "lifetime", "predictive"})
  String policy = "";

  /** Entries in the full cache. */
  @Param({"1000", "100000", "1000000"})
  int residents;

  private BlockCache cache = newCache(1);
  private final CacheRequest request = new CacheRequest();
  private int[] stream = new int[0];
  private int next;
  private long fresh;
  private long clock;

  /** Fills the cache. */
  @Setup
  public void fill() {
    cache = newCache(residents);
    cache.install(policy, Policies.create(policy, residents));
    stream = Zipf.stream(residents);
    for (long id = 0; id < residents; id++) {
      use(id);
    }
    fresh = residents;
  }

  private BlockCache newCache(int capacity) {
    return new BlockCache(
        capacity, () -> clock, new GhostWindow(capacity), BlockCache.OnFault.FAIL);
  }

  /**
   * A hit on a zipf(0.9) stream.
   *
   * @return matched blocks: 1
   */
  @Benchmark
  public int hit() {
    return use(stream[next++ & Zipf.MASK]);
  }

  /**
   * A miss in a full cache: one entry leaves, one comes.
   *
   * @return matched blocks: 0
   */
  @Benchmark
  public int miss() {
    return use(fresh++);
  }

  /**
   * 100 blocks leave a full cache, and 100 others come.
   *
   * @return blocks freed
   */
  @Benchmark
  public long evict100() {
    long freed = cache.evict(100, Demand.Reason.BACKGROUND, RequestFacts.UNKNOWN);
    for (int i = 0; i < freed; i++) {
      use(fresh++);
    }
    return freed;
  }

  private int use(long id) {
    clock += 1_000;
    request.reset(RequestFacts.UNKNOWN, 16);
    request.add(mix(id), id);
    int matched = cache.begin(request);
    if (matched == 0) {
      cache.admit(request);
    }
    cache.finish(request);
    return matched;
  }

  private static long mix(long id) {
    long bits = (id ^ (id >>> 32)) * 0x9E3779B97F4A7C15L;
    return (bits ^ (bits >>> 29)) * 0xBF58476D1CE4E5B9L;
  }
}

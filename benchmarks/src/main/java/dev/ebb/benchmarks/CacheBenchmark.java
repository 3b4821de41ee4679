package dev.ebb.benchmarks;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/**
 * The cache core with each policy: everything that a hit costs (look-up, pin, events, policy,
 * unpin) and everything that a miss in a full cache costs (look-up, victim, removal, insertion).
 * The same two things as {@link CaffeineBenchmark}, on the same stream.
 */
public class CacheBenchmark extends EachPolicyBenchmark {

  /** How long one use takes on the clock that the policies see. */
  private static final Duration STEP = Duration.ofNanos(1_000);

  private TestContext context = TestContext.ofCapacity(1);
  private BlockCache cache = newCache(1);
  private final CacheRequest request = new CacheRequest();
  private long fresh;

  @Setup
  public void fill() {
    context = TestContext.ofCapacity(residents);
    cache = newCache(residents);
    cache.install(policy, Policies.create(policy, context));
    draw();
    for (long id = 0; id < residents; id++) {
      use(id);
    }
    fresh = residents;
  }

  private BlockCache newCache(int capacity) {
    return new InlineBlockCache(capacity, context.clock(), new GhostWindow(capacity), OnFault.FAIL);
  }

  /** A hit on a zipf(0.9) stream. */
  @Benchmark
  public int hit() {
    return use(next());
  }

  /** A miss in a full cache: one entry leaves, one comes. */
  @Benchmark
  public int miss() {
    return use(fresh++);
  }

  /** 100 blocks leave a full cache, and 100 others come. */
  @Benchmark
  public long evict100() {
    long freed = cache.evict(100, Demand.Reason.BACKGROUND, RequestFacts.UNKNOWN);
    for (int i = 0; i < freed; i++) {
      use(fresh++);
    }
    return freed;
  }

  private int use(long id) {
    context.clock().advance(STEP);
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

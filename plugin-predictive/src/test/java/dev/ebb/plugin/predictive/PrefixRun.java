package dev.ebb.plugin.predictive;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** A policy behind a prefix cache, in a context whose clock follows the trace. */
public record PrefixRun<N>(
    BlockPolicy<N> policy, PrefixModel<N> cache, Trace trace, double hitRatio) {

  public static PrefixRun<?> of(
      Trace trace, TestContext context, Function<PolicyContext, BlockPolicy<?>> provider) {
    return of(trace, context, provider.apply(context));
  }

  private static <N> PrefixRun<N> of(Trace trace, TestContext context, BlockPolicy<N> policy) {
    PrefixModel<N> cache =
        new PrefixModel<>(
            policy,
            context.capacityBlocks(),
            trace.distinct(),
            nanos -> context.clock().advance(Duration.ofNanos(nanos - context.clock().nanos())),
            evicted -> {});
    return new PrefixRun<>(policy, cache, trace, (double) cache.hits(trace) / trace.references());
  }

  /** What everything is compared with. */
  public static double leastRecentlyUsed(Trace trace, long capacity) {
    return of(trace, TestContext.ofCapacity(capacity), context -> new LeastRecentlyUsed())
        .hitRatio();
  }

  List<String> explanations() {
    return cache.nodes().stream().map(policy::explain).toList();
  }

  List<Double> scores() {
    return cache.nodes().stream().map(policy::score).toList();
  }

  /** All are of one rank, and of those the one not used for longest leaves first. */
  private static final class LeastRecentlyUsed extends RankedBlockPolicy {
    @Override
    protected double rank(Entry entry) {
      return 0;
    }
  }
}

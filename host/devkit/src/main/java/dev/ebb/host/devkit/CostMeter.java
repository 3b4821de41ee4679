package dev.ebb.host.devkit;

import dev.ebb.host.plugin.Strategy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/** Measures the cost of block policies, each at several sizes, in bounded time. */
final class CostMeter {

  private static final int[] RESIDENTS = {1_000, 100_000, 1_000_000};
  private static final int ENTRIES_HELD_AT_ONCE = 600;
  private static final int BATCH = 1_000;
  private static final int ROUNDS = 9;

  /** After so many rounds with few calls the policy is slow, and was not only disturbed. */
  private static final int SLOW_ROUNDS = 3;

  /** A short round is more often undisturbed than a long one. */
  private static final int ROUNDS_WITHIN_LIMIT = 100;

  private final Duration limit;

  /**
   * Creates a meter.
   *
   * @param limit for each measurement; one that takes longer is abandoned
   */
  CostMeter(Duration limit) {
    this.limit = limit;
  }

  /** Returns the sizes that fit into this process's heap. */
  static List<Integer> sizes() {
    List<Integer> sizes = new ArrayList<>();
    for (int residents : RESIDENTS) {
      if ((long) residents * ENTRIES_HELD_AT_ONCE < Runtime.getRuntime().maxMemory()) {
        sizes.add(residents);
      }
    }
    return sizes;
  }

  Cost measure(
      Strategy<BlockPolicyProvider> policy,
      Strategy<BlockPolicyProvider> lru,
      int residents,
      IntFunction<TestContext> context) {
    double[] theirs = times(lru, residents, context);
    double[] own = times(policy, residents, context);
    return new Cost(policy.name(), residents, own[0], theirs[0], own[1], theirs[1]);
  }

  private double[] times(
      Strategy<BlockPolicyProvider> policy, int residents, IntFunction<TestContext> context) {
    return DrivenPolicy.use(policy, context.apply(residents), residents, this::times);
  }

  private double[] times(DrivenPolicy<?> policy) {
    long deadline = System.nanoTime() + limit.toNanos();
    for (int slot = 0; slot < policy.residents(); slot++) {
      policy.insert(slot);
      if (slot % BATCH == 0 && System.nanoTime() > deadline) {
        double each = (double) limit.toNanos() / (slot + 1);
        return new double[] {Double.NaN, each};
      }
    }
    return new double[] {best(policy::access), best(policy::replace)};
  }

  /** Returns the fastest round: disturbances only make a run slower. */
  private double best(IntConsumer body) {
    double best = Double.POSITIVE_INFINITY;
    long round = limit.toNanos() / ROUNDS_WITHIN_LIMIT;
    boolean quick = false;
    for (int i = 0; i < ROUNDS && (quick || i < SLOW_ROUNDS); i++) {
      long start = System.nanoTime();
      long done = 0;
      long now = start;
      int batch = quick ? BATCH : 1;
      while (now - start < round && done < 1_000_000) {
        body.accept(batch);
        done += batch;
        now = System.nanoTime();
      }
      if (i > 0 || done < BATCH) {
        best = Math.min(best, (double) (now - start) / done);
      }
      if (now - start > limit.toNanos()) {
        return best;
      }
      quick |= done >= BATCH;
    }
    return best;
  }
}

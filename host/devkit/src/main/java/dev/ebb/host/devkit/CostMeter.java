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

  /** A short round is more often undisturbed than a long one. */
  private static final int ROUNDS_WITHIN_LIMIT = 1_000;

  /** A policy that is compiled and not slow is measured for this share of the limit. */
  private static final int SHARE_OF_LIMIT = 5;

  /** So many, even if a busy machine gives no time: the first ones run in the interpreter. */
  private static final int LEAST_ROUNDS = 40;

  /** After so many rounds of single calls the policy is slow, and was not only disturbed. */
  private static final int SLOW_ROUNDS = 3;

  private static final int SINGLE_CALLS = 20_000;

  private final MachineLoad load = new MachineLoad();
  private final Duration limit;

  /**
   * Creates a meter.
   *
   * @param limit for each measurement; one that takes longer is abandoned
   */
  CostMeter(Duration limit) {
    this.limit = limit;
  }

  /** Returns the sizes up to a number of entries that fit into this process's heap. */
  static List<Integer> sizes(int most) {
    List<Integer> sizes = new ArrayList<>();
    for (int residents : RESIDENTS) {
      long bytes = (long) residents * ENTRIES_HELD_AT_ONCE;
      if (residents <= most && bytes < Runtime.getRuntime().maxMemory()) {
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
    Times theirs = times(lru, residents, context);
    load.start();
    Times own = times(policy, residents, context);
    return new Cost(
        policy.name(),
        residents,
        own.access,
        theirs.access,
        own.replacement,
        theirs.replacement,
        own.slowest,
        own.budget,
        load.factor());
  }

  private record Times(double access, double replacement, double slowest, double budget) {}

  private Times times(
      Strategy<BlockPolicyProvider> policy, int residents, IntFunction<TestContext> context) {
    return DrivenPolicy.use(policy, context.apply(residents), residents, this::times);
  }

  private Times times(DrivenPolicy<?> policy) {
    long deadline = System.nanoTime() + limit.toNanos();
    double budget = policy.evictionBudgetNanos();
    for (int slot = 0; slot < policy.residents(); slot++) {
      policy.insert(slot);
      if (slot % BATCH == 0 && System.nanoTime() > deadline) {
        double each = (double) limit.toNanos() / (slot + 1);
        return new Times(Double.NaN, each, Double.NaN, budget);
      }
    }
    double access = best(policy, policy::access);
    double replacement = best(policy, policy::replace);
    long end = System.nanoTime() + limit.toNanos() / SHARE_OF_LIMIT;
    policy.runBackground();
    for (int i = 0; i < SINGLE_CALLS && System.nanoTime() < end; i++) {
      policy.timedReplace();
    }
    return new Times(access, replacement, policy.slowestNanos(), budget);
  }

  /** Returns the fastest round: disturbances only make a run slower. */
  private double best(DrivenPolicy<?> policy, IntConsumer body) {
    double best = Double.POSITIVE_INFINITY;
    long round = limit.toNanos() / ROUNDS_WITHIN_LIMIT;
    long end = System.nanoTime() + limit.toNanos() / SHARE_OF_LIMIT;
    int batch = 1;
    for (int i = 0; i < LEAST_ROUNDS || System.nanoTime() < end; i++) {
      policy.runBackground();
      load.sample(round);
      long start = System.nanoTime();
      long done = 0;
      long now = start;
      while (now - start < round) {
        body.accept(batch);
        done += batch;
        now = System.nanoTime();
      }
      double each = (double) (now - start) / done;
      // The first round of a quick policy is that of the interpreter.
      best = i > 0 || done == 1 ? Math.min(best, each) : best;
      if (now - start > limit.toNanos()) {
        return best;
      }
      if (done == 1 && i + 1 >= SLOW_ROUNDS) {
        return best;
      }
      batch = (int) Math.clamp(round / (4 * each), 1, BATCH);
    }
    return best;
  }
}

package dev.ebb.plugin.predictive;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import dev.ebb.testkit.TestDemand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that are used alone are served at least as well as by the order of their last use. */
class PlainObjectsTest {

  /** Steps of agents, which use all objects of their context, one after the other. */
  private static List<int[]> agents(long seed) {
    Random random = new Random(seed);
    List<int[]> steps = new ArrayList<>();
    List<int[]> open = new ArrayList<>();
    int id = 1;
    for (int i = 0; i < 1_500; i++) {
      if (open.size() < 12) {
        int[] context = new int[40 + random.nextInt(80)];
        for (int at = 0; at < context.length; at++) {
          context[at] = id++;
        }
        open.add(context);
      }
      int agent = random.nextInt(open.size());
      int[] before = open.get(agent);
      steps.add(before);
      int[] after = Arrays.copyOf(before, before.length + 4);
      for (int at = before.length; at < after.length; at++) {
        after[at] = id++;
      }
      open.set(agent, after);
      if (after.length > 300) {
        open.remove(agent);
      }
    }
    return steps;
  }

  @ParameterizedTest
  @CsvSource({"1, 400", "1, 1000", "1, 2500", "2, 400", "2, 1000", "2, 2500"})
  void objectsThatAreRequestsAreServedAsWellAsByLru(long seed, int capacity) {
    List<SimRequest> requests = new ArrayList<>();
    long nanos = 0;
    int distinct = 0;
    for (int[] step : agents(seed)) {
      nanos += 500_000_000;
      for (int id : step) {
        SimRequest request = new SimRequest(id);
        request.nanos = nanos;
        requests.add(request);
        distinct = Math.max(distinct, id + 1);
      }
    }
    Trace trace = new Trace(requests, distinct);
    TestContext context = TestContext.ofCapacity(capacity).withSeed(seed);
    assertThat(PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).hitRatio())
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, capacity) - 0.005);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 1000, 2500})
  void objectsWithoutRequestsAreServedAsWellAsByLru(int capacity) {
    List<int[]> steps = agents(3);
    long uses = steps.stream().mapToLong(step -> step.length).sum();
    TestContext context = TestContext.ofCapacity(capacity);
    PredictivePolicy policy =
        new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
    double hits = (double) hits(policy, context, steps, capacity) / uses;
    assertThat(hits).isGreaterThan((double) lruHits(steps, capacity) / uses - 0.005);
    assertThat(policy.size()).isEqualTo(capacity);
  }

  private static <N> long hits(
      BlockPolicy<N> policy, TestContext context, List<int[]> steps, int capacity) {
    Map<Long, N> nodes = new HashMap<>();
    Map<Long, SimEntry> entries = new HashMap<>();
    long hits = 0;
    for (int[] step : steps) {
      context.clock().advance(Duration.ofMillis(500));
      for (int id : step) {
        long key = SimEntry.fingerprint(id);
        N node = nodes.get(key);
        if (node != null) {
          hits++;
          requireNonNull(entries.get(key)).lastAccessNanos = context.clock().nanos();
          policy.accessed(node);
          continue;
        }
        if (nodes.size() == capacity) {
          long victim = requireNonNull(policy.victim(TestDemand.of(1))).fingerprint();
          policy.removed(requireNonNull(nodes.remove(victim)), RemovalCause.EVICTED);
          entries.remove(victim);
        }
        SimEntry entry = new SimEntry(id);
        entry.lastAccessNanos = context.clock().nanos();
        entries.put(key, entry);
        nodes.put(key, policy.inserted(entry));
      }
    }
    return hits;
  }

  private static long lruHits(List<int[]> steps, int capacity) {
    LinkedHashSet<Integer> resident = new LinkedHashSet<>();
    long hits = 0;
    for (int[] step : steps) {
      for (int id : step) {
        hits += resident.remove(id) ? 1 : 0;
        if (resident.size() == capacity) {
          resident.removeFirst();
        }
        resident.add(id);
      }
    }
    return hits;
  }

  @Test
  void whatIsRefusedIsNotOfferedUntilItIsReleased() {
    TestContext context = TestContext.ofCapacity(100);
    PredictivePolicy policy =
        new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
    SplittableRandom random = new SplittableRandom(1);
    Map<Long, CachedBlock> nodes = new HashMap<>();
    List<CachedBlock> refused = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      context.clock().advance(Duration.ofMillis(10));
      // A loop longer than the cache, so that both orders are used from time to time.
      int id = random.nextInt(4) == 0 ? random.nextInt(30) : step % 130;
      CachedBlock node = nodes.get(SimEntry.fingerprint(id));
      if (node != null) {
        ((SimEntry) node.entry).lastAccessNanos = context.clock().nanos();
        policy.accessed(node);
        continue;
      }
      while (nodes.size() >= 100) {
        Entry offered = requireNonNull(policy.victim(TestDemand.of(1)));
        CachedBlock victim = requireNonNull(nodes.get(offered.fingerprint()));
        assertThat(refused).doesNotContain(victim);
        if (refused.size() < 20 && random.nextInt(3) == 0) {
          policy.refused(victim);
          refused.add(victim);
        } else {
          policy.removed(victim, RemovalCause.EVICTED);
          nodes.remove(victim.entry.fingerprint());
        }
      }
      while (refused.size() > 10) {
        policy.released(refused.removeFirst());
      }
      SimEntry entry = new SimEntry(id);
      entry.lastAccessNanos = context.clock().nanos();
      nodes.put(entry.fingerprint(), policy.inserted(entry));
      assertThat(policy.size()).isEqualTo(nodes.size());
    }
  }
}

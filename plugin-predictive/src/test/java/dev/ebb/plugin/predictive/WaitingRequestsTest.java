package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that waiting requests need are evicted last, whatever the policy has learned. */
class WaitingRequestsTest {

  private static final int CAPACITY = 200;

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 5", "3, 40", "4, 200", "5, 400"})
  void neededBlocksAreEvictedOnlyIfAllAreNeeded(long seed, int needed) {
    Random random = new Random(seed);
    TestContext context =
        TestContext.ofCapacity(CAPACITY).withSeed(seed).with("admission", "false");
    BlockPolicy<CachedBlock> policy =
        new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
    Map<Integer, CachedBlock> resident = new HashMap<>();
    int evictedNeeded = 0;
    for (int i = 0; i < 2000; i++) {
      context.clock().advance(Duration.ofMillis(random.nextInt(2000)));
      // A leaf each: two blocks would make the first one wait for the second.
      SimRequest request = new SimRequest(2 * random.nextInt(300), -1 - i);
      Set<Integer> awaited = new HashSet<>();
      List<SimRequest> waiting = new ArrayList<>();
      for (int k = random.nextInt(needed + 1); k > 0; k--) {
        int id = random.nextBoolean() ? 2 * random.nextInt(300) : -1 - random.nextInt(i + 1);
        if (awaited.size() < CAPACITY) {
          awaited.add(id); // no more can be kept
        }
        waiting.add(new SimRequest(id));
      }
      request.waiting = waiting;
      policy.began(request);
      while (resident.size() > CAPACITY - 2) {
        SimEntry victim = (SimEntry) Objects.requireNonNull(policy.victim(SimDemand.ONE_BLOCK));
        if (awaited.contains(victim.id)) {
          evictedNeeded++;
          assertThat(awaited).containsAll(resident.keySet());
        }
        policy.removed(Objects.requireNonNull(resident.remove(victim.id)), RemovalCause.EVICTED);
      }
      policy.ended(request);
      for (int id : request.ids) {
        CachedBlock block = resident.get(id);
        if (block == null) {
          resident.put(id, policy.inserted(new SimEntry(id)));
        } else {
          policy.accessed(block);
        }
      }
    }
    assertThat(evictedNeeded).isLessThan(2000);
    assertThat(policy.size()).isEqualTo(resident.size());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aQueueOfFewRequestsThatReturnAddsHits(long seed) {
    double without = hitRatio(seed, 0);
    double with = hitRatio(seed, 8);
    assertThat(with).as("seed %d", seed).isGreaterThan(without + 0.02);
  }

  private static double hitRatio(long seed, int lookahead) {
    List<SimRequest> requests = conversations(seed);
    for (int i = 0; i < requests.size(); i++) {
      requests.get(i).waiting =
          List.copyOf(requests.subList(i + 1, Math.min(requests.size(), i + 1 + lookahead)));
    }
    Trace trace = new Trace(requests, 100_000);
    TestContext context = TestContext.ofCapacity(CAPACITY).withSeed(seed);
    return PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).hitRatio();
  }

  /** Prompts that return at random, too many to be kept. */
  private static List<SimRequest> conversations(long seed) {
    Random random = new Random(seed);
    List<SimRequest> requests = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      int first = 1 + 10 * random.nextInt(80);
      int[] ids = new int[10];
      for (int block = 0; block < ids.length; block++) {
        ids[block] = first + block;
      }
      SimRequest request = new SimRequest(ids);
      request.nanos = i * 500_000_000L;
      requests.add(request);
    }
    return requests;
  }
}

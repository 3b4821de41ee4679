package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PredictivePolicyTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theSameSeedGivesTheSameRun(long seed) {
    List<SimulatedRequest> trace = chats(seed, 3000);
    assertThat(run(trace, 200, seed).hitRatio()).isEqualTo(run(trace, 200, seed).hitRatio());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void learnsWhatLeastRecentlyUsedCannotSee(long seed) {
    List<SimulatedRequest> trace = chats(seed, 6000);
    PrefixCache lru =
        new PrefixCache(new TestContext(300, seed, Map.of()), context -> new LeastRecentlyUsed());
    trace.forEach(lru::run);
    assertThat(run(trace, 300, seed).hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(lru.hitRatio() + 0.01);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void objectsWithoutPrefixesAreOrderedToo(long seed) {
    Random random = new Random(seed);
    PrefixCache cache = cache(new TestContext(100, seed, Map.of()));
    PrefixCache lru =
        new PrefixCache(new TestContext(100, seed, Map.of()), context -> new LeastRecentlyUsed());
    for (int i = 0; i < 40_000; i++) {
      SimulatedRequest request = new SimulatedRequest();
      request.nanos = i * 20_000_000L;
      boolean hot = random.nextInt(3) == 0;
      request.chain = new long[] {Traces.mix(hot ? random.nextInt(80) : 1000 + i)};
      cache.run(request);
      lru.run(request);
    }
    assertThat(cache.hitRatio()).as("seed %d", seed).isGreaterThan(lru.hitRatio());
    assertThat(cache.policy().size()).isEqualTo(100);
  }

  @Test
  void explainsAnIndexByItsMultipliers() {
    PrefixCache cache = run(chats(5, 3000), 200, 5);
    BlockPolicy<Object> policy = cache.policy();
    for (SimulatedEntry entry : cache.residents()) {
      Object node = Objects.requireNonNull(entry.node);
      assertThat(policy.score(node)).isPositive();
      assertThat(policy.explain(node))
          .matches(
              "expected [\\d.]+ hits per block-second: (first use|second use|3-5 uses|6 or"
                  + " more uses) x[\\d.]+, [\\d-]+ new blocks x[\\d.]+, matched .* x[\\d.]+, depth"
                  + " [\\d-]+ x[\\d.]+, .*, age \\d+ s x[\\d.]+");
    }
  }

  @Test
  void namesTheOutputLengthAndTheHintWhereTheyAreLearnedFrom() {
    List<SimulatedRequest> trace = chats(5, 500);
    trace.forEach(request -> {
      request.outputTokens = 300;
      request.hint = 2;
    });
    TestContext context = new TestContext(200, 1, Map.of("factors", "sip-7"));
    PrefixCache cache = cache(context);
    trace.forEach(cache::run);
    Object node = Objects.requireNonNull(cache.residents().iterator().next().node);
    assertThat(cache.policy().explain(node)).contains("output of 256-511 tokens x", "hint 2 x");
  }

  @Test
  void showsItsStateInGauges() {
    Map<String, Double> gauges = run(chats(5, 3000), 200, 5).policy().gauges();
    assertThat(gauges).containsOnlyKeys("leaves", "cohorts", "ghosts", "ghost-hits");
    assertThat(gauges.values()).allSatisfy(value -> assertThat(value).isPositive());
  }

  private static PrefixCache cache(TestContext context) {
    return new PrefixCache(context, new PredictiveProvider()::create);
  }

  private static PrefixCache run(List<SimulatedRequest> trace, int capacity, long seed) {
    PrefixCache cache = cache(new TestContext(capacity, seed, Map.of()));
    trace.forEach(cache::run);
    return cache;
  }

  // Chats that share a root: those with a short first prompt go on, the others end at once.
  private static List<SimulatedRequest> chats(long seed, int requests) {
    Random random = new Random(seed);
    List<SimulatedRequest> trace = new ArrayList<>();
    List<long[]> open = new ArrayList<>();
    long id = 1;
    for (int i = 0; i < requests; i++) {
      SimulatedRequest request = new SimulatedRequest();
      request.nanos = i * 500_000_000L;
      boolean goesOn = open.size() > 25;
      long[] before =
          goesOn ? open.remove(random.nextInt(open.size())) : new long[] {Traces.mix(0)};
      boolean once = !goesOn && random.nextBoolean();
      int more = once ? 12 : 2;
      request.chain = Arrays.copyOf(before, before.length + more);
      for (int block = before.length; block < request.chain.length; block++) {
        request.chain[block] = Traces.mix(id++);
      }
      if (!once && request.chain.length < 20) {
        open.add(request.chain);
      }
      trace.add(request);
    }
    return trace;
  }
}

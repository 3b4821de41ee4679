package dev.ebb.plugin.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void slruAgreesWithANaiveOneInEveryStep(long seed) {
    int uses = 2 + (int) seed % 3;
    Duration debounce = Duration.ofSeconds(seed % 2 * 5);
    Duration decay = Duration.ofSeconds(seed % 4 * 30);
    agrees(
        LlmPolicies.SLRU,
        Map.of(
            "protected-uses",
            Integer.toString(uses),
            "debounce",
            debounce.toString(),
            "decay",
            decay.toString()),
        new NaiveSlru(uses, debounce.toNanos(), decay.toNanos()),
        seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void tailLruAgreesWithANaiveOneInEveryStep(long seed) {
    long limit = 8 * seed;
    agrees(
        LlmPolicies.TAIL_LRU,
        Map.of("uncached-tokens", Long.toString(limit), "next-tokens", "8"),
        new NaiveTailLru(limit, 8),
        seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void ttlLruAgreesWithANaiveOneInEveryStep(long seed) {
    NaiveTtlLru naive = new NaiveTtlLru(seed);
    SimContext settings = new SimContext(1, Map.of("prefill-rate", "1", "queue-delay", "PT0S"));
    Lockstep.run(new TtlLruPolicy(1, naive::nanos, settings), naive, seed, 8 + seed * 4, 1);
    assertThat(naive.gauges().get("tool-calls")).isGreaterThan(100);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void retentionAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(LlmPolicies.RETENTION, Map.of(), new NaiveRetention(), seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void sessionRefsAgreesWithANaiveOneInEveryStep(long seed) {
    NaiveSessionRefs naive = new NaiveSessionRefs();
    SimContext settings = new SimContext(1, Map.of("session-timeout", "PT1M"));
    Lockstep.run(new SessionRefsPolicy(naive::nanos, settings), naive, seed, 8 + seed * 4, 1);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void workloadAwareAgreesWithANaiveOneInEveryStep(long seed) {
    int ratio = (int) seed % 2;
    agrees(
        LlmPolicies.WORKLOAD_AWARE,
        Map.of("ghost-ratio", Integer.toString(ratio)),
        new NaiveWorkloadAware(ratio > 0),
        seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void marconiAgreesWithANaiveOneInEveryStep(long seed) {
    double alpha = (double) seed / 4;
    agrees(
        LlmPolicies.MARCONI,
        Map.of("alpha", Double.toString(alpha)),
        new NaiveMarconi(alpha),
        seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void alwaysFindALeafWhereOnlyLeavesMayLeave(long seed) {
    PrefixModel.assertFindLeaves(
        ServiceLoader.load(PolicyPlugin.class).iterator().next().blockPolicies(), seed);
  }

  @Test
  void areFoundByTheServiceLoader() {
    assertThat(ServiceLoader.load(PolicyPlugin.class).iterator().next().blockPolicies())
        .extracting(BlockPolicyProvider::name)
        .containsExactlyInAnyOrder(
            "slru", "t-lru", "ttl-lru", "retention", "session-refs", "marconi", "workload-aware");
  }

  private static void agrees(
      BlockPolicyProvider provider, Map<String, String> settings, BlockPolicy<?> naive, long seed) {
    int blocksEach = 1 + (int) seed % 3;
    long capacity = (8 + seed * 4) * blocksEach;
    Lockstep.run(
        provider.create(new SimContext(capacity, settings)), naive, seed, capacity, blocksEach);
  }
}

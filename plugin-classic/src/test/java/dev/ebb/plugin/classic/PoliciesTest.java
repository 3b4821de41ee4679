package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void clockAgreesWithANaiveOneInEveryStep(long seed) {
    int bits = 1 + (int) seed % 3;
    long capacity = 8 + seed * 4;
    Lockstep.run(
        ClassicPolicies.CLOCK.create(
            new SimContext(capacity, Map.of("bits", Integer.toString(bits)))),
        new NaiveClock(capacity, 1, bits),
        seed,
        capacity,
        1);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void twoQueueAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(ClassicPolicies.TWO_QUEUE, NaiveTwoQueue::new, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void qdlpAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(ClassicPolicies.QDLP, NaiveQdlp::new, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void lirsAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(ClassicPolicies.LIRS, NaiveLirs::new, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void gdsfAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(ClassicPolicies.GDSF, NaiveGdsf::new, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void lecarAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(ClassicPolicies.LECAR, NaiveLecar::new, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void tinyLfuAgreesWithANaiveOneInEveryStep(long seed) {
    agrees(
        ClassicPolicies.TINY_LFU,
        (capacity, blocks) -> new NaiveTinyLfu(capacity, blocks, new SimContext(capacity).random()),
        seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void hyperbolicAgreesWithANaiveOneInEveryStep(long seed) {
    long capacity = 8 + seed * 4;
    Lockstep.run(
        ClassicPolicies.HYPERBOLIC.create(new SimContext(capacity)),
        new NaiveHyperbolic(),
        seed,
        capacity,
        1);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void alwaysFindALeafWhereOnlyLeavesMayLeave(long seed) {
    PrefixModel.assertFindLeaves(
        ServiceLoader.load(PolicyPlugin.class).iterator().next().blockPolicies(), seed);
  }

  private interface Naive {
    BlockPolicy<?> create(long capacityBlocks, int blocksEach);
  }

  private static void agrees(BlockPolicyProvider provider, Naive naive, long seed) {
    int blocksEach = 1 + (int) seed % 3;
    long capacity = (8 + seed * 4) * blocksEach;
    Lockstep.run(
        provider.create(new SimContext(capacity)),
        naive.create(capacity, blocksEach),
        seed,
        capacity,
        blocksEach);
  }
}

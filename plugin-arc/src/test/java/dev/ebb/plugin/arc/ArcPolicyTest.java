package dev.ebb.plugin.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.ObjectModel;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArcPolicyTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void agreesWithANaiveOneInEveryStep(long seed) {
    int blocksEach = 1 + (int) seed % 3;
    long capacity = (8 + seed * 4) * blocksEach;
    Lockstep.run(
        ArcPolicies.ARC.create(new SimContext(capacity)),
        new NaiveArc(capacity, blocksEach),
        seed,
        capacity,
        blocksEach);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void missesAndRemembersAsThePapersProcedureDoes(long seed) {
    Random random = new Random(seed);
    int capacity = 5 + (int) seed * 7;
    int[] pages =
        random
            .ints(20_000, 0, 4 * capacity)
            .map(page -> random.nextInt(3) == 0 ? page / 8 : page)
            .toArray();
    PaperArc paper = new PaperArc(capacity);
    long expected = 0;
    for (int page : pages) {
      expected += paper.request("page " + page) ? 0 : 1;
    }
    BlockPolicy<?> policy = ArcPolicies.ARC.create(new SimContext(capacity));
    long misses =
        ObjectModel.misses(
            policy, new Trace(List.of(new SimRequest(pages)), 4 * capacity), capacity);
    assertThat(misses).as("seed %d", seed).isEqualTo(expected);
    assertThat(policy.gauges())
        .containsAllEntriesOf(
            Map.of(
                "t1", (double) paper.t1.size(),
                "t2", (double) paper.t2.size(),
                "b1", (double) paper.b1.size(),
                "b2", (double) paper.b2.size()));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void keepsThePapersInvariantsWhereOnlyLeavesMayLeave(long seed) {
    Trace trace = Trace.random(new Random(seed), 5_000, 300);
    BlockPolicy<?> policy = ArcPolicies.ARC.create(new SimContext(60));
    PrefixModel.hits(
        policy,
        trace,
        60,
        evicted -> {
          Map<String, Double> sizes = policy.gauges();
          double l1 = sizes.getOrDefault("t1", Double.NaN) + sizes.getOrDefault("b1", Double.NaN);
          double l2 = sizes.getOrDefault("t2", Double.NaN) + sizes.getOrDefault("b2", Double.NaN);
          assertThat(l1).as("seed %d: L1 in %s", seed, sizes).isLessThanOrEqualTo(60);
          assertThat(l1 + l2).as("seed %d: L1 + L2 in %s", seed, sizes).isLessThanOrEqualTo(120);
          assertThat(sizes.getOrDefault("p", Double.NaN)).as("seed %d", seed).isBetween(0.0, 60.0);
        });
    assertThat(policy.size()).isBetween(1L, 60L);
  }
}

package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LhdPolicyTest {

  private static final int CAPACITY = 60;

  /** The uses after which the densities are computed again, in a small cache. */
  private static final int PERIOD = 4_096;

  /** What a naive observer knows of a resident. */
  private static final class Known {
    private final SimEntry entry;
    private final LhdPolicy.Node node;
    private int lastUse;
    private int last;
    private int before = 4_096;

    private Known(SimEntry entry, LhdPolicy.Node node, int now) {
      this.entry = entry;
      this.node = node;
      lastUse = now;
    }

    private int hitClass() {
      int gaps = last + before;
      int doublings = 0;
      while (gaps > 0 && gaps << doublings < 4_096 && doublings < 15) {
        doublings++;
      }
      return gaps == 0 ? 15 : doublings;
    }
  }

  /** The end of a life at an age, by a use or by an eviction. */
  private record End(int hitClass, int age, boolean hit, int period) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void theScoreIsTheExpectedHitsDividedByTheExpectedLife(long seed) {
    LhdPolicy policy = new LhdPolicy(new SimContext(CAPACITY, Map.of("samples", "1024")));
    Random random = new Random(seed);
    Map<Integer, Known> residents = new HashMap<>();
    List<End> ends = new ArrayList<>();
    int uses = 0;
    for (int step = 0; uses < 3 * PERIOD; step++) {
      // Some return soon, some after long, some never.
      int id =
          random.nextInt(3) == 0 ? 1_000_000 + step : (int) Math.pow(random.nextDouble(), -0.7);
      int period = uses / PERIOD;
      Known known = residents.get(id);
      if (known != null) {
        int age = uses - known.lastUse;
        ends.add(new End(known.hitClass(), age, true, period));
        known.before = known.last;
        known.last = age;
        known.lastUse = uses;
        policy.accessed(known.node);
      } else {
        if (residents.size() == CAPACITY) {
          SimEntry victim = (SimEntry) policy.victim(SimDemand.ONE_BLOCK);
          Known evicted = residents.remove(victim.id);
          ends.add(new End(evicted.hitClass(), uses - evicted.lastUse, false, period));
          policy.removed(evicted.node, RemovalCause.EVICTED);
        }
        SimEntry entry = new SimEntry(id);
        residents.put(id, new Known(entry, policy.inserted(entry), uses));
      }
      uses++;
    }
    for (Known known : residents.values()) {
      double explorer = policy.explain(known.node).contains("explorer") ? 1 : 0;
      assertThat(policy.score(known.node) - explorer)
          .as(known.entry.toString())
          .isCloseTo(density(ends, known.hitClass(), uses - known.lastUse), within(1e-4));
    }
  }

  private static double density(List<End> ends, int hitClass, int age) {
    double hits = 0;
    double life = 0;
    for (End end : ends) {
      if (end.hitClass == hitClass && end.age >= age && end.period < 3) {
        double weight = Math.pow(0.9, 3 - end.period);
        hits += end.hit ? weight : 0;
        life += weight * (end.age - age + 1);
      }
    }
    return life == 0 ? 0 : hits / life;
  }

  @Test
  void keepsAPartOfALoopThatDoesNotFit() {
    LhdPolicy policy = new LhdPolicy(new SimContext(CAPACITY));
    Map<Integer, LhdPolicy.Node> residents = new HashMap<>();
    int hits = 0;
    for (int use = 0; use < 40_000; use++) {
      int id = use % 100;
      LhdPolicy.Node node = residents.get(id);
      if (node != null) {
        hits += use >= 20_000 ? 1 : 0;
        policy.accessed(node);
      } else {
        if (residents.size() == CAPACITY) {
          int victim = ((SimEntry) policy.victim(SimDemand.ONE_BLOCK)).id;
          policy.removed(residents.remove(victim), RemovalCause.EVICTED);
        }
        residents.put(id, policy.inserted(new SimEntry(id)));
      }
    }
    // LRU has none.
    assertThat(hits).isGreaterThan(20_000 / 3);
  }
}

package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GdsfPolicyTest {

  private final GdsfPolicy uniform = new GdsfPolicy(new SimContext(100));
  private final GdsfPolicy recompute =
      new GdsfPolicy(new SimContext(100, Map.of("cost", "recompute")));

  @Test
  void evictsLargeEntriesFirst() {
    uniform.inserted(entry(1, 8, Double.NaN));
    uniform.inserted(entry(2, 9, Double.NaN));
    uniform.inserted(entry(3, 1, Double.NaN));

    assertThat(uniform.victim(SimDemand.ONE_BLOCK)).hasToString("entry 2");
  }

  @Test
  void keepsALargeEntryThatIsUsedOftenEnough() {
    RankedNode large = uniform.inserted(entry(1, 4, Double.NaN));
    uniform.inserted(entry(2, 1, Double.NaN));
    for (int use = 2; use <= 5; use++) {
      uniform.accessed(large);
    }

    assertThat(uniform.score(large)).isEqualTo(1.25);
    assertThat(uniform.victim(SimDemand.ONE_BLOCK)).hasToString("entry 2");
  }

  @Test
  void evictsCheapEntriesFirstAndCountsUnknownCostsAsTheMean() {
    recompute.inserted(entry(1, 1, 30));
    RankedNode cheap = recompute.inserted(entry(2, 1, 10));
    RankedNode unknown = recompute.inserted(entry(3, 2, Double.NaN));

    assertThat(recompute.score(unknown)).isEqualTo(20);
    assertThat(recompute.victim(SimDemand.ONE_BLOCK)).hasToString("entry 2");
    recompute.removed(cheap, RemovalCause.EVICTED);
    assertThat(recompute.victim(SimDemand.ONE_BLOCK)).hasToString("entry 3");
  }

  @Test
  void agesByTheKeysOfEvictedEntries() {
    RankedNode popular = uniform.inserted(entry(1, 1, Double.NaN));
    uniform.accessed(popular);
    uniform.accessed(popular);
    for (int id = 2; id <= 4; id++) {
      RankedNode once = uniform.inserted(entry(id, 1, Double.NaN));
      uniform.removed(once, RemovalCause.EVICTED);
    }

    assertThat(uniform.gauges()).containsEntry("age", 3.0);
    assertThat(uniform.score(uniform.inserted(entry(5, 1, Double.NaN)))).isEqualTo(4);
    assertThat(uniform.victim(SimDemand.ONE_BLOCK)).hasToString("entry 1");
  }

  private static SimEntry entry(int id, int blocks, double recomputeCost) {
    SimEntry entry = new SimEntry(id);
    entry.insert(id);
    entry.blocks = blocks;
    entry.recomputeCost = recomputeCost;
    return entry;
  }
}

package dev.ebb.plugin.lru;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.sim.ObjectModel;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.Reference;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.Trace;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceTest {

  @ParameterizedTest
  @ValueSource(strings = {"LRU", "FIFO", "LFU"})
  void missesTheSameBlocksAsAnIndependentSimulator(String name) throws IOException {
    for (Reference expected : Reference.of(name, "block_misses")) {
      long misses =
          ObjectModel.misses(create(name, expected), expected.requests(), expected.blocks());
      assertThat(misses).as("%s", expected).isEqualTo((long) expected.value());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"LRU", "FIFO", "LFU"})
  void evictingLeavesOnlyHitsAsOftenAsAnIndependentSimulator(String name) throws IOException {
    for (Reference expected : Reference.of(name + "_LEAF", "prefix_hit_ratio")) {
      Trace trace = expected.requests();
      long hits = PrefixModel.hits(create(name, expected), trace, expected.blocks(), evicted -> {});
      assertThat((double) hits / trace.references())
          .as("%s", expected)
          .isCloseTo(expected.value(), within(1e-8));
    }
  }

  private static BlockPolicy<?> create(String name, Reference expected) {
    SimContext context = new SimContext(expected.blocks());
    return switch (name) {
      case "LRU" -> LruPolicies.LRU.create(context);
      case "FIFO" -> LruPolicies.FIFO.create(context);
      default -> LruPolicies.LFU.create(context);
    };
  }
}

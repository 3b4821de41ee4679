package dev.ebb.plugin.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.ObjectModel;
import dev.ebb.spi.sim.Reference;
import dev.ebb.spi.sim.SimContext;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReferenceTest {

  @Test
  void missesTheSameBlocksAsAnIndependentSimulator() throws IOException {
    for (Reference expected : Reference.of("ARC", "block_misses")) {
      long misses =
          ObjectModel.misses(
              ArcPolicies.ARC.create(new SimContext(expected.blocks())),
              expected.requests(),
              expected.blocks());
      assertThat(misses).as("%s", expected).isEqualTo((long) expected.value());
    }
  }
}

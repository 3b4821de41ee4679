package dev.ebb.plugin.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.sim.ObjectModel;
import dev.ebb.spi.sim.Reference;
import dev.ebb.spi.sim.SimContext;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceTest {

  @ParameterizedTest
  @ValueSource(strings = {"SIEVE", "S3-FIFO"})
  void missesTheSameBlocksAsAnIndependentSimulator(String name) throws IOException {
    BlockPolicyProvider provider =
        name.equals("SIEVE") ? SievePolicies.SIEVE : SievePolicies.S3FIFO;
    for (Reference expected : Reference.of(name, "block_misses")) {
      long misses =
          ObjectModel.misses(
              provider.create(new SimContext(expected.blocks())),
              expected.requests(),
              expected.blocks());
      assertThat(misses).as("%s", expected).isEqualTo((long) expected.value());
    }
  }
}

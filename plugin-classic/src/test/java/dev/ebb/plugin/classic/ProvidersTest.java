package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.sim.SimContext;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class ProvidersTest {

  @Test
  void areFoundByTheServiceLoader() {
    assertThat(ServiceLoader.load(PolicyPlugin.class).iterator().next().blockPolicies())
        .extracting(BlockPolicyProvider::name)
        .containsExactlyInAnyOrder(
            "clock", "2q", "qdlp", "lirs", "gdsf", "lecar", "w-tinylfu", "hyperbolic", "lhd");
  }

  @Test
  void makePoliciesThatHoldNothing() {
    for (BlockPolicyProvider provider :
        ServiceLoader.load(PolicyPlugin.class).iterator().next().blockPolicies()) {
      assertThat(provider.create(new SimContext(1)).size()).isZero();
    }
  }
}

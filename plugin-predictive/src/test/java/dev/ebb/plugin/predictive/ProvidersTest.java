package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plugin.predictive.lifetime.LifetimePolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.SettingException;
import dev.ebb.testkit.TestContext;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class ProvidersTest {

  @Test
  void areFoundByTheServiceLoader() {
    PolicyPlugin plugin = ServiceLoader.load(PolicyPlugin.class).iterator().next();

    assertThat(plugin.blockPolicies())
        .extracting(BlockPolicyProvider::name)
        .containsExactlyInAnyOrder("predictive", "lifetime");
    assertThat(plugin.lifetimePredictors())
        .extracting(LifetimePredictorProvider::name)
        .containsExactly("online");
  }

  @Test
  void rejectAnUnknownPredictor() {
    TestContext context = TestContext.ofCapacity(10).with("predictor", "oracle");
    assertThatThrownBy(() -> LifetimePolicy.PROVIDER.create(context))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("'oracle'");
  }
}

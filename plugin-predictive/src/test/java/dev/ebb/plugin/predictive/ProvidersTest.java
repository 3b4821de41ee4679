package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plugin.predictive.lifetime.LifetimeProvider;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.SettingException;
import dev.ebb.testkit.TestContext;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class ProvidersTest {

  @Test
  void areFoundByTheServiceLoader() {
    assertThat(ServiceLoader.load(BlockPolicyProvider.class))
        .extracting(BlockPolicyProvider::name)
        .containsExactlyInAnyOrder("predictive", "lifetime");
    assertThat(ServiceLoader.load(LifetimePredictorProvider.class))
        .extracting(LifetimePredictorProvider::name)
        .containsExactly("online");
  }

  @Test
  void rejectAnUnknownPredictor() {
    TestContext context = TestContext.ofCapacity(10).with("predictor", "oracle");
    assertThatThrownBy(() -> new LifetimeProvider().create(context))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("'oracle'");
  }
}

package dev.ebb.plugin.predictive;

import dev.ebb.plugin.predictive.lifetime.LifetimeProvider;
import dev.ebb.plugin.predictive.lifetime.OnlineProvider;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.testkit.BlockPolicyContract;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.LifetimePredictorContract;
import org.junit.jupiter.api.Nested;

/** What every policy and predictor must satisfy. */
class ContractTest {

  @Nested
  class Predictive extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new PredictiveProvider();
    }
  }

  @Nested
  class PredictiveWithOutputLength extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new PredictiveProvider();
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("factors", "sip-7");
    }
  }

  @Nested
  class Lifetime extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new LifetimeProvider();
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with(new OnlineProvider());
    }
  }

  @Nested
  class Online extends LifetimePredictorContract {
    @Override
    protected LifetimePredictorProvider provider() {
      return new OnlineProvider();
    }
  }
}

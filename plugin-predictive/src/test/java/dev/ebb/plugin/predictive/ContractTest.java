package dev.ebb.plugin.predictive;

import dev.ebb.plugin.predictive.lifetime.LifetimePolicy;
import dev.ebb.plugin.predictive.lifetime.OnlinePredictor;
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
      return PredictivePolicies.PREDICTIVE;
    }
  }

  @Nested
  class PredictiveWithOutputLength extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return PredictivePolicies.PREDICTIVE;
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
      return LifetimePolicy.PROVIDER;
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with(OnlinePredictor.PROVIDER);
    }
  }

  @Nested
  class Online extends LifetimePredictorContract {
    @Override
    protected LifetimePredictorProvider provider() {
      return OnlinePredictor.PROVIDER;
    }
  }
}

package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.TokenBudgetContract;
import dev.ebb.testkit.TokenPolicyContract;
import org.junit.jupiter.api.Nested;

/** What every token policy must satisfy. */
class ContractTest {

  @Nested
  class SlidingWindowContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.SLIDING_WINDOW;
    }
  }

  @Nested
  class SnapKvContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.SNAPKV;
    }
  }

  @Nested
  class H2oContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.H2O;
    }
  }

  @Nested
  class TovaContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.TOVA;
    }
  }

  @Nested
  class KnormContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.KNORM;
    }
  }

  @Nested
  class ExpectedAttentionContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.EXPECTED_ATTENTION;
    }
  }

  @Nested
  class KeyDiffContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.KEYDIFF;
    }
  }

  @Nested
  class RandomContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.RANDOM;
    }
  }

  @Nested
  class LagKvContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.LAGKV;
    }
  }

  @Nested
  class CakeContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return SnapKvPolicies.CAKE;
    }
  }

  @Nested
  class CakeLayersContract extends TokenBudgetContract {
    @Override
    protected TokenBudgetProvider provider() {
      return SnapKvPolicies.CAKE_LAYERS;
    }
  }
}

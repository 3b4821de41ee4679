package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;
import dev.ebb.testkit.CheckSettings;
import org.junit.jupiter.api.Nested;

/** What every policy must satisfy. */
class ContractTest {

  @Nested
  class Lru extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LruPolicies.LRU;
    }
  }

  @Nested
  class Fifo extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LruPolicies.FIFO;
    }
  }

  @Nested
  class Lfu extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LruPolicies.LFU;
    }
  }

  @Nested
  class LfuWithAgeing extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LruPolicies.LFU;
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("ageing", "dynamic");
    }
  }

  @Nested
  class Priority extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LruPolicies.PRIORITY;
    }
  }
}

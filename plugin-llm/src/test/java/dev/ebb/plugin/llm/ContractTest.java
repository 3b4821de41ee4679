package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;
import dev.ebb.testkit.CheckSettings;
import org.junit.jupiter.api.Nested;

/** What every policy must satisfy. */
class ContractTest {

  @Nested
  class Slru extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.SLRU;
    }
  }

  @Nested
  class TailLru extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.TAIL_LRU;
    }
  }

  @Nested
  class TailLruWithFewUncachedTokens extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.TAIL_LRU;
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("uncached-tokens", "64").with("next-tokens", "16");
    }
  }

  @Nested
  class TtlLru extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.TTL_LRU;
    }
  }

  @Nested
  class Retention extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.RETENTION;
    }
  }

  @Nested
  class SessionRefs extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.SESSION_REFS;
    }
  }

  @Nested
  class Marconi extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.MARCONI;
    }
  }

  @Nested
  class WorkloadAware extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return LlmPolicies.WORKLOAD_AWARE;
    }
  }
}

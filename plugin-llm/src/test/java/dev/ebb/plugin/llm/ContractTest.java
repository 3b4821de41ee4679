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
      return new SlruProvider();
    }
  }

  @Nested
  class TailLru extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new TailLruProvider();
    }
  }

  @Nested
  class TailLruWithFewUncachedTokens extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new TailLruProvider();
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
      return new TtlLruProvider();
    }
  }

  @Nested
  class Retention extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new RetentionProvider();
    }
  }

  @Nested
  class Marconi extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new MarconiProvider();
    }
  }

  @Nested
  class WorkloadAware extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new WorkloadAwareProvider();
    }
  }
}

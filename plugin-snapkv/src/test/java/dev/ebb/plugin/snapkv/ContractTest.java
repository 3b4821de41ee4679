package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.TokenPolicyContract;
import org.junit.jupiter.api.Nested;

/** What every token policy must satisfy. */
class ContractTest {

  @Nested
  class SlidingWindowContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new SlidingWindowProvider();
    }
  }

  @Nested
  class SnapKvContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new SnapKvProvider();
    }
  }

  @Nested
  class H2oContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new H2oProvider();
    }
  }

  @Nested
  class TovaContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new TovaProvider();
    }
  }

  @Nested
  class KnormContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new KnormProvider();
    }
  }

  @Nested
  class ExpectedAttentionContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new ExpectedAttentionProvider();
    }
  }

  @Nested
  class KeyDiffContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new KeyDiffProvider();
    }
  }

  @Nested
  class RandomContract extends TokenPolicyContract {
    @Override
    protected TokenPolicyProvider provider() {
      return new RandomProvider();
    }
  }
}

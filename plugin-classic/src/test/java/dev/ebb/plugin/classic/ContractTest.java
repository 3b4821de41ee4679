package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;
import dev.ebb.testkit.CheckSettings;
import org.junit.jupiter.api.Nested;

/** What every policy must satisfy. */
class ContractTest {

  @Nested
  class Clock extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.CLOCK;
    }
  }

  @Nested
  class ClockOfThreeBits extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.CLOCK;
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("bits", "3");
    }
  }

  @Nested
  class TwoQueue extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.TWO_QUEUE;
    }
  }

  @Nested
  class Qdlp extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.QDLP;
    }
  }

  @Nested
  class Lirs extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.LIRS;
    }
  }

  @Nested
  class Gdsf extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.GDSF;
    }
  }

  @Nested
  class Lecar extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.LECAR;
    }
  }

  @Nested
  class TinyLfu extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.TINY_LFU;
    }
  }

  @Nested
  class Hyperbolic extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.HYPERBOLIC;
    }
  }

  @Nested
  class Lhd extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.LHD;
    }
  }

  @Nested
  class GdsfByRecomputeCost extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ClassicPolicies.GDSF;
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("cost", "recompute");
    }
  }
}

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
      return new ClockProvider();
    }
  }

  @Nested
  class ClockOfThreeBits extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new ClockProvider();
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
      return new TwoQueueProvider();
    }
  }

  @Nested
  class Qdlp extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new QdlpProvider();
    }
  }

  @Nested
  class Lirs extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new LirsProvider();
    }
  }

  @Nested
  class Gdsf extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new GdsfProvider();
    }
  }

  @Nested
  class Lecar extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new LecarProvider();
    }
  }

  @Nested
  class TinyLfu extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new TinyLfuProvider();
    }
  }

  @Nested
  class GdsfByRecomputeCost extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new GdsfProvider();
    }

    @Override
    protected CheckSettings settings() {
      return CheckSettings.defaults().with("cost", "recompute");
    }
  }
}

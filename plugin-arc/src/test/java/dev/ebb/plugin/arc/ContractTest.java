package dev.ebb.plugin.arc;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;
import org.junit.jupiter.api.Nested;

/** What every policy must satisfy. */
class ContractTest {

  @Nested
  class Arc extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return ArcPolicies.ARC;
    }
  }
}

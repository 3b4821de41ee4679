package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;
import org.junit.jupiter.api.Nested;

/** What every policy must satisfy. */
class ContractTest {

  @Nested
  class Sieve extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return SievePolicies.SIEVE;
    }
  }

  @Nested
  class S3Fifo extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return SievePolicies.S3FIFO;
    }
  }
}

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
      return new SieveProvider();
    }
  }

  @Nested
  class S3Fifo extends BlockPolicyContract {
    @Override
    protected BlockPolicyProvider provider() {
      return new S3FifoProvider();
    }
  }
}

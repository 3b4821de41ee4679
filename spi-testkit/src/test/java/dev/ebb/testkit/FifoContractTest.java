package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;

class FifoContractTest extends BlockPolicyContract {

  @Override
  protected BlockPolicyProvider provider() {
    return new FifoProvider();
  }
}

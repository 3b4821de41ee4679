package dev.ebb.testkit;

import dev.ebb.spi.TokenPolicyProvider;

class NormPolicyContractTest extends TokenPolicyContract {

  @Override
  protected TokenPolicyProvider provider() {
    return new NormPolicyProvider();
  }
}

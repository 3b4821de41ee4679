package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.TokenPolicyContract;

/** What every token policy must satisfy. */
class ContractTest extends TokenPolicyContract {
  @Override
  protected TokenPolicyProvider provider() {
    return new SlidingWindowProvider();
  }
}

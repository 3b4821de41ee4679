package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** A right policy on the intrusive list. */
final class FifoProvider implements BlockPolicyProvider {

  @Override
  public String name() {
    return "fifo";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new Fifo();
  }
}

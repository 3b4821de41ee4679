package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code fifo}: evicts the entry inserted first. */
public final class FifoProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public FifoProvider() {}

  @Override
  public String name() {
    return "fifo";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new FifoPolicy(context.clock());
  }
}

package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code priority}: evicts the least important entry first, but starves no class. */
public final class PriorityProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public PriorityProvider() {}

  @Override
  public String name() {
    return "priority";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new PriorityPolicy(
        context.settings().number("floor", 0.05, 0, 1), context.capacityBlocks(), context.clock());
  }
}

package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Offers {@code priority}: the least important leaves first, but no class is starved. */
public final class PriorityProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
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

package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code lfu}: evicts the entry used least often. */
public final class LfuProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public LfuProvider() {}

  @Override
  public String name() {
    return "lfu";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new LfuPolicy(
        context.settings().choice("ageing", LfuPolicy.Ageing.NONE), context.clock());
  }
}

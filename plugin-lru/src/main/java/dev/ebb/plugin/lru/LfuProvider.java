package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Offers {@code lfu}: what was used least often leaves first. */
public final class LfuProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
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

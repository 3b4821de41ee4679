package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code lru}: evicts the entry used longest ago. */
public final class LruProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public LruProvider() {}

  @Override
  public String name() {
    return "lru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new LruPolicy(context.clock());
  }
}

package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Offers {@code lru}: what was used longest ago leaves first. */
public final class LruProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
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

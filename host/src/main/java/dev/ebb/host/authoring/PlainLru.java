package dev.ebb.host.authoring;

import dev.ebb.host.cache.TickOrder;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** The host's own order, to compare with where the plugin {@code lru} is not installed. */
final class PlainLru implements BlockPolicyProvider {

  @Override
  public String name() {
    return "lru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new TickOrder();
  }
}

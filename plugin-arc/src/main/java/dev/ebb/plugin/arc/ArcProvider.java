package dev.ebb.plugin.arc;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code arc}: recency and frequency, balanced by past misses. */
public final class ArcProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public ArcProvider() {}

  @Override
  public String name() {
    return "arc";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new ArcPolicy(context.capacityBlocks());
  }
}

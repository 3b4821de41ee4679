package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code gdsf}: keeps small, expensive and popular entries. */
public final class GdsfProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public GdsfProvider() {}

  @Override
  public String name() {
    return "gdsf";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new GdsfPolicy(
        context.capacityBlocks(), context.settings().choice("cost", GdsfPolicy.Cost.UNIFORM));
  }
}

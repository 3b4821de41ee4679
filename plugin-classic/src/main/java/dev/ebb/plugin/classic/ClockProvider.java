package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code clock}: a FIFO queue with second chances. */
public final class ClockProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public ClockProvider() {}

  @Override
  public String name() {
    return "clock";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new ClockPolicy(
        context.capacityBlocks(), (int) context.settings().integer("bits", 1, 1, 8));
  }
}

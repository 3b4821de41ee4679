package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code 2q}: a queue for new entries, and one for entries that return. */
public final class TwoQueueProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public TwoQueueProvider() {}

  @Override
  public String name() {
    return "2q";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new TwoQueuePolicy(
        context.capacityBlocks(),
        settings.number("kin", 0.25, 0, 1),
        settings.number("kout", 0.5, 0, 10));
  }
}

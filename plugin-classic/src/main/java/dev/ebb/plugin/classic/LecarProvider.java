package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code lecar}: LRU or LFU at random, with weights learned from mistakes. */
public final class LecarProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public LecarProvider() {}

  @Override
  public String name() {
    return "lecar";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new LecarPolicy(
        context.capacityBlocks(),
        settings.number("learning-rate", 0.45, 0, 10),
        settings.number("history-ratio", 0.5, 0, 10),
        context.random());
  }
}

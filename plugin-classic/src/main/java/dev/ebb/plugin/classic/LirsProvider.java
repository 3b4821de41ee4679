package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code lirs}: keeps entries whose last two uses are close. */
public final class LirsProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public LirsProvider() {}

  @Override
  public String name() {
    return "lirs";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new LirsPolicy(
        context.capacityBlocks(),
        settings.number("hir-ratio", 0.01, 0.001, 0.999),
        settings.number("ghost-ratio", 1, 0, 10));
  }
}

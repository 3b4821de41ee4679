package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code w-tinylfu}: a window for new entries, and a contest with those of main. */
public final class TinyLfuProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public TinyLfuProvider() {}

  @Override
  public String name() {
    return "w-tinylfu";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new TinyLfuPolicy(
        context.capacityBlocks(), context.settings().number("window-ratio", 0.01, 0, 1));
  }
}

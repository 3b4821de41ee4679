package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code slru}: evicts entries used once before others. */
public final class SlruProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public SlruProvider() {}

  @Override
  public String name() {
    return "slru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new SlruPolicy(context.settings().integer("protected-uses", 2, 2, 1_000_000));
  }
}

package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code marconi}: keeps what saves most operations per byte. */
public final class MarconiProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public MarconiProvider() {}

  @Override
  public String name() {
    return "marconi";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new MarconiPolicy(context.settings().number("alpha", 0.3, 0, 1_000));
  }
}

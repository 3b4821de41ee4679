package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code retention}: priorities that expire. */
public final class RetentionProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public RetentionProvider() {}

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new RetentionPolicy();
  }
}

package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code t-lru}: keeps the slowest first tokens fast. */
public final class TailLruProvider implements BlockPolicyProvider {

  private static final long MOST_TOKENS = 10_000_000;

  /** Called by the service loader. */
  public TailLruProvider() {}

  @Override
  public String name() {
    return "t-lru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new TailLruPolicy(
        settings.integer("uncached-tokens", 2048, 0, MOST_TOKENS),
        settings.integer("next-tokens", 256, 0, MOST_TOKENS));
  }
}

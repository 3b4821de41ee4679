package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code random}: keeps random tokens; a baseline. */
public final class RandomProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public RandomProvider() {}

  @Override
  public String name() {
    return "random";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new RandomPolicy(Ends.of(context.settings()), context.random().nextLong());
  }
}

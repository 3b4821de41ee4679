package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code sliding-window}: keeps the first and the newest tokens. */
public final class SlidingWindowProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public SlidingWindowProvider() {}

  @Override
  public String name() {
    return "sliding-window";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new SlidingWindowPolicy(Ends.of(context.settings(), 1024, 1));
  }
}

package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Offers {@code sliding-window}: the first and the newest tokens stay. */
public final class SlidingWindowProvider implements TokenPolicyProvider {

  /** Made by the service loader. */
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

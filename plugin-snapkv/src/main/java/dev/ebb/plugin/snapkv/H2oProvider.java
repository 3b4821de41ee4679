package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code h2o}: keeps the tokens that received the most attention. */
public final class H2oProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public H2oProvider() {}

  @Override
  public String name() {
    return "h2o";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new H2oPolicy((int) context.settings().integer("recent", 32, 0, Integer.MAX_VALUE));
  }
}

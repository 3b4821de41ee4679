package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code knorm}: keeps the tokens with small keys. */
public final class KnormProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public KnormProvider() {}

  @Override
  public String name() {
    return "knorm";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new KnormPolicy(Ends.of(context.settings()));
  }
}

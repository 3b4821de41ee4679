package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Offers {@code knorm}: tokens with small keys stay. */
public final class KnormProvider implements TokenPolicyProvider {

  /** Made by the service loader. */
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

package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code tova}: keeps the tokens that the newest query attends to. */
public final class TovaProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public TovaProvider() {}

  @Override
  public String name() {
    return "tova";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new TovaPolicy();
  }
}

package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code keydiff}: keeps the tokens with unusual keys. */
public final class KeyDiffProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public KeyDiffProvider() {}

  @Override
  public String name() {
    return "keydiff";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new KeyDiffPolicy(Ends.of(context.settings()));
  }
}

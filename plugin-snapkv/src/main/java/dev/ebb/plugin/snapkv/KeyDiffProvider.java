package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Offers {@code keydiff}: tokens with unusual keys stay. */
public final class KeyDiffProvider implements TokenPolicyProvider {

  /** Made by the service loader. */
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

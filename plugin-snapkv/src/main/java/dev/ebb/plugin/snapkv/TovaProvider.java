package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Offers {@code tova}: what the newest query attends to stays. */
public final class TovaProvider implements TokenPolicyProvider {

  /** Made by the service loader. */
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

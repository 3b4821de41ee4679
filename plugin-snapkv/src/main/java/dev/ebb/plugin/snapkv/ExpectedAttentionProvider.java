package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/**
 * Provides {@code expected-attention}: keeps the tokens that the next queries are expected to
 * attend to.
 */
public final class ExpectedAttentionProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public ExpectedAttentionProvider() {}

  @Override
  public String name() {
    return "expected-attention";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    Settings settings = context.settings();
    return new ExpectedAttentionPolicy(
        (int) settings.integer("n-future-positions", 512, 1, 1 << 20),
        (int) settings.integer("sinks", 4, 0, 65_536),
        settings.number("epsilon", 0, 0, Double.MAX_VALUE),
        settings.flag("use-covariance", true),
        settings.flag("use-value-norms", true));
  }
}

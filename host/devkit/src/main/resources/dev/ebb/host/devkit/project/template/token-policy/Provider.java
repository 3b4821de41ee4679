package {{package}};

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code {{name}}}. */
public final class {{class}}Provider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public {{class}}Provider() {}

  @Override
  public String name() {
    return "{{name}}";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    Settings settings = context.settings();
    return new {{class}}(
        (int) settings.integer("protected-prefix", 4, 0, Integer.MAX_VALUE),
        (int) settings.integer("recent", 16, 1, Integer.MAX_VALUE));
  }
}

package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/** Provides {@code snapkv}: keeps the tokens that the end of the prompt attends to. */
public final class SnapKvProvider implements TokenPolicyProvider {

  /** Called by the service loader. */
  public SnapKvProvider() {}

  @Override
  public String name() {
    return "snapkv";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    Settings settings = context.settings();
    int window = (int) settings.integer("window", 32, 1, 65_536);
    int kernel = (int) settings.integer("kernel", 5, 1, 1_025);
    if (kernel % 2 == 0) {
      throw new SettingException(
          "snapkv: kernel = '%d' must be odd; use an odd number such as 5 or 7".formatted(kernel));
    }
    return new SnapKvPolicy(window, kernel);
  }
}

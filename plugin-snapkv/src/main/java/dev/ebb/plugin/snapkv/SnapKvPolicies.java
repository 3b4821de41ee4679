package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.List;

/** Provides the token policies, and reads their settings. */
public final class SnapKvPolicies implements PolicyPlugin {

  static final TokenPolicyProvider SLIDING_WINDOW =
      TokenPolicyProvider.of(
          "sliding-window",
          context -> new SlidingWindowPolicy(Ends.of(context.settings(), 1024, 1)));
  static final TokenPolicyProvider SNAPKV =
      TokenPolicyProvider.of("snapkv", SnapKvPolicies::snapKv);
  static final TokenPolicyProvider H2O =
      TokenPolicyProvider.of(
          "h2o",
          context ->
              new H2oPolicy((int) context.settings().integer("recent", 32, 0, Integer.MAX_VALUE)));
  static final TokenPolicyProvider TOVA =
      TokenPolicyProvider.of("tova", context -> new TovaPolicy());
  static final TokenPolicyProvider KNORM =
      TokenPolicyProvider.of("knorm", context -> new KnormPolicy(Ends.of(context.settings())));
  static final TokenPolicyProvider KEYDIFF =
      TokenPolicyProvider.of("keydiff", context -> new KeyDiffPolicy(Ends.of(context.settings())));
  static final TokenPolicyProvider EXPECTED_ATTENTION =
      TokenPolicyProvider.of("expected-attention", SnapKvPolicies::expectedAttention);
  static final TokenPolicyProvider RANDOM =
      TokenPolicyProvider.of(
          "random",
          context -> new RandomPolicy(Ends.of(context.settings()), context.random().nextLong()));

  /** Called by the service loader. */
  public SnapKvPolicies() {}

  @Override
  public List<TokenPolicyProvider> tokenPolicies() {
    return List.of(SLIDING_WINDOW, SNAPKV, H2O, TOVA, KNORM, KEYDIFF, EXPECTED_ATTENTION, RANDOM);
  }

  private static TokenPolicy snapKv(PolicyContext context) {
    Settings settings = context.settings();
    int window = (int) settings.integer("window", 32, 1, 65_536);
    int kernel = (int) settings.integer("kernel", 5, 1, 1_025);
    if (kernel % 2 == 0) {
      throw new SettingException(
          "snapkv: kernel = '%d' must be odd; use an odd number such as 5 or 7".formatted(kernel));
    }
    return new SnapKvPolicy(window, kernel);
  }

  private static TokenPolicy expectedAttention(PolicyContext context) {
    Settings settings = context.settings();
    return new ExpectedAttentionPolicy(
        (int) settings.integer("n-future-positions", 512, 1, 1 << 20),
        (int) settings.integer("sinks", 4, 0, 65_536),
        settings.number("epsilon", 0, 0, Double.MAX_VALUE),
        settings.flag("use-covariance", true),
        settings.flag("use-value-norms", true));
  }
}

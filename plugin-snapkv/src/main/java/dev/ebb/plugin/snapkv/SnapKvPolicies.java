package dev.ebb.plugin.snapkv;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenBudgetProvider;
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
      TokenPolicyProvider.of("snapkv", context -> snapKv("snapkv", context, 0));
  static final TokenPolicyProvider CAKE =
      TokenPolicyProvider.of(
          "cake",
          context ->
              snapKv("cake", context, context.settings().number("gamma", 200, 0, 1_000_000)));
  static final TokenBudgetProvider CAKE_LAYERS =
      TokenBudgetProvider.of("cake-layers", SnapKvPolicies::cakeLayers);
  static final TokenPolicyProvider LAGKV =
      TokenPolicyProvider.of(
          "lagkv",
          context ->
              new LagKvPolicy(
                  (int) context.settings().integer("sinks", 4, 0, 65_536),
                  (int) context.settings().integer("lag", 128, 1, 65_536)));
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
    return List.of(
        SLIDING_WINDOW, SNAPKV, H2O, TOVA, KNORM, KEYDIFF, EXPECTED_ATTENTION, LAGKV, CAKE, RANDOM);
  }

  @Override
  public List<TokenBudgetProvider> tokenBudgets() {
    return List.of(CAKE_LAYERS);
  }

  private static TokenBudget cakeLayers(PolicyContext context) {
    Settings settings = context.settings();
    return new CakeBudget(
        (int) settings.integer("window", 32, 1, 65_536),
        settings.number("tau1", 1, 0.01, 100),
        settings.number("tau2", 1, 0.01, 100));
  }

  private static TokenPolicy snapKv(String name, PolicyContext context, double gamma) {
    Settings settings = context.settings();
    int window = (int) settings.integer("window", 32, 1, 65_536);
    int kernel = (int) settings.integer("kernel", 5, 1, 1_025);
    if (kernel % 2 == 0) {
      throw new SettingException(
          "%s: kernel = '%d' must be odd; use an odd number such as 5 or 7"
              .formatted(name, kernel));
    }
    return new SnapKvPolicy(window, kernel, gamma);
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

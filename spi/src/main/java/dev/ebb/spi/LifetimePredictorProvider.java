package dev.ebb.spi;

import java.util.function.Function;

/**
 * Makes lifetime predictors. A service type, as {@link BlockPolicyProvider}.
 *
 * @since 1.0.0
 */
public interface LifetimePredictorProvider {

  /**
   * Returns the name by which policies and configuration refer to it.
   *
   * @return lower-case letters, digits and inner dashes
   */
  String name();

  /**
   * Makes an instance.
   *
   * @param context what the instance may know of its host; settings are those under {@code
   *     eviction.predictors.<name>}
   * @return a new predictor that has learned nothing
   * @throws SettingException if a setting is wrong
   */
  LifetimePredictor create(PolicyContext context);

  /**
   * Returns a provider that creates instances with a function, for {@link PolicyPlugin}.
   *
   * @param name the result of {@link #name}
   * @param factory the function that {@link #create} calls
   * @return a new provider
   * @since 1.6.0
   */
  static LifetimePredictorProvider of(
      String name, Function<PolicyContext, LifetimePredictor> factory) {
    return new LifetimePredictorProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public LifetimePredictor create(PolicyContext context) {
        return factory.apply(context);
      }
    };
  }
}

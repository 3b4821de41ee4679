package dev.ebb.spi;

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
}

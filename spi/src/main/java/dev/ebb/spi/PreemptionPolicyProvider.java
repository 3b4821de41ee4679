package dev.ebb.spi;

import java.util.function.Function;

/**
 * Makes instances of one preemption policy. A service type, as {@link BlockPolicyProvider}.
 *
 * @since 1.2.0
 */
public interface PreemptionPolicyProvider {

  /**
   * Returns the name by which users choose the strategy: {@code scheduler.preemption = name}.
   *
   * @return lower-case letters, digits and inner dashes
   */
  String name();

  /**
   * Makes an instance.
   *
   * @param context what the instance may know of its host; settings are those under {@code
   *     scheduler.policies.<name>}
   * @return a new policy; one without fields may be the same each time
   * @throws SettingException if a setting is wrong
   */
  PreemptionPolicy create(PolicyContext context);

  /**
   * Returns a provider that creates instances with a function, for {@link PolicyPlugin}.
   *
   * @param name the result of {@link #name}
   * @param factory the function that {@link #create} calls
   * @return a new provider
   * @since 1.6.0
   */
  static PreemptionPolicyProvider of(
      String name, Function<PolicyContext, PreemptionPolicy> factory) {
    return new PreemptionPolicyProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public PreemptionPolicy create(PolicyContext context) {
        return factory.apply(context);
      }
    };
  }
}

package dev.ebb.spi;

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
}

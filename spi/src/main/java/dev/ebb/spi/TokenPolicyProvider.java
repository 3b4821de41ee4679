package dev.ebb.spi;

/**
 * Makes instances of one token policy. A service type, as {@link BlockPolicyProvider}.
 *
 * @since 1.0.0
 */
public interface TokenPolicyProvider {

  /**
   * Returns the name by which users choose the strategy: {@code tokens.policy = name}.
   *
   * @return lower-case letters, digits and inner dashes
   */
  String name();

  /**
   * Makes an instance.
   *
   * @param context what the instance may know of its host; settings are those under {@code
   *     tokens.policies.<name>}
   * @return a new policy
   * @throws SettingException if a setting is wrong
   */
  TokenPolicy create(PolicyContext context);
}

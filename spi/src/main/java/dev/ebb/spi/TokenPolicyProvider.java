package dev.ebb.spi;

import java.util.function.Function;

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

  /**
   * Returns a provider that creates instances with a function, for {@link PolicyPlugin}.
   *
   * @param name the result of {@link #name}
   * @param factory the function that {@link #create} calls
   * @return a new provider
   * @since 1.6.0
   */
  static TokenPolicyProvider of(String name, Function<PolicyContext, TokenPolicy> factory) {
    return new TokenPolicyProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public TokenPolicy create(PolicyContext context) {
        return factory.apply(context);
      }
    };
  }
}

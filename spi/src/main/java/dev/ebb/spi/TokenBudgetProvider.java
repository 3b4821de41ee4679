package dev.ebb.spi;

import java.util.function.Function;

/**
 * Makes instances of one token budget. A service type, as {@link BlockPolicyProvider}.
 *
 * @since 1.7.0
 */
public interface TokenBudgetProvider {

  /**
   * Returns the name by which users choose the strategy: {@code tokens.budget = name}.
   *
   * @return lower-case letters, digits and inner dashes
   */
  String name();

  /**
   * Makes an instance.
   *
   * @param context what the instance may know of its host; settings are those under {@code
   *     tokens.budgets.<name>}
   * @return a new budget
   * @throws SettingException if a setting is wrong
   */
  TokenBudget create(PolicyContext context);

  /**
   * Returns a provider that creates instances with a function, for {@link PolicyPlugin}.
   *
   * @param name the result of {@link #name}
   * @param factory the function that {@link #create} calls
   * @return a new provider
   * @since 1.7.0
   */
  static TokenBudgetProvider of(String name, Function<PolicyContext, TokenBudget> factory) {
    return new TokenBudgetProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public TokenBudget create(PolicyContext context) {
        return factory.apply(context);
      }
    };
  }
}

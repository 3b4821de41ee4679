package dev.ebb.spi;

import java.util.List;

/**
 * Lists all strategies of a JAR in one class. The service type of a plugin with several strategies:
 * a public class with a public constructor without parameters, listed in {@code
 * META-INF/services/dev.ebb.spi.PolicyPlugin}. A JAR may also list single providers.
 *
 * <pre>{@code
 * public final class Policies implements PolicyPlugin {
 *   @Override
 *   public List<BlockPolicyProvider> blockPolicies() {
 *     return List.of(
 *         BlockPolicyProvider.of("warm", context -> new Warm(context)),
 *         BlockPolicyProvider.of("cold", context -> new Cold(context)));
 *   }
 * }
 * }</pre>
 *
 * @since 1.6.0
 */
public interface PolicyPlugin {

  /**
   * Returns the providers of block policies.
   *
   * @return providers with different names
   */
  default List<BlockPolicyProvider> blockPolicies() {
    return List.of();
  }

  /**
   * Returns the providers of token policies.
   *
   * @return providers with different names
   */
  default List<TokenPolicyProvider> tokenPolicies() {
    return List.of();
  }

  /**
   * Returns the providers of token budgets.
   *
   * @return providers with different names
   * @since 1.7.0
   */
  default List<TokenBudgetProvider> tokenBudgets() {
    return List.of();
  }

  /**
   * Returns the providers of lifetime predictors.
   *
   * @return providers with different names
   */
  default List<LifetimePredictorProvider> lifetimePredictors() {
    return List.of();
  }

  /**
   * Returns the providers of preemption policies.
   *
   * @return providers with different names
   */
  default List<PreemptionPolicyProvider> preemptionPolicies() {
    return List.of();
  }
}

package dev.ebb.host.plugin;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A kind of strategy that plugins offer.
 *
 * @param service the service type
 * @param noun its singular in messages
 * @param plural its plural in lists
 * @param nameOf returns a provider's name
 * @param create makes an instance with a provider
 * @param listedIn the providers that a plugin lists in one class
 * @param settingsIn the section of its strategies' settings
 * @param <P> the service type
 */
public record StrategyKind<P>(
    Class<P> service,
    String noun,
    String plural,
    Function<P, String> nameOf,
    BiFunction<P, PolicyContext, ? extends AutoCloseable> create,
    Function<PolicyPlugin, List<P>> listedIn,
    Function<EbbConfig, StrategySettings> settingsIn) {

  /** Policies that evict entries from the cache. */
  public static final StrategyKind<BlockPolicyProvider> POLICY =
      new StrategyKind<>(
          BlockPolicyProvider.class,
          "policy",
          "policies",
          BlockPolicyProvider::name,
          BlockPolicyProvider::create,
          PolicyPlugin::blockPolicies,
          config -> config.eviction().policies());

  /** Policies that drop tokens of a sequence. */
  public static final StrategyKind<TokenPolicyProvider> TOKEN_POLICY =
      new StrategyKind<>(
          TokenPolicyProvider.class,
          "token policy",
          "token-policies",
          TokenPolicyProvider::name,
          TokenPolicyProvider::create,
          PolicyPlugin::tokenPolicies,
          config -> config.tokens().policies());

  /** Budgets that divide kept tokens among layers and heads. */
  public static final StrategyKind<TokenBudgetProvider> TOKEN_BUDGET =
      new StrategyKind<>(
          TokenBudgetProvider.class,
          "token budget",
          "token-budgets",
          TokenBudgetProvider::name,
          TokenBudgetProvider::create,
          PolicyPlugin::tokenBudgets,
          config -> config.tokens().budgets());

  /** Predictors of how long an entry will be useful. */
  public static final StrategyKind<LifetimePredictorProvider> PREDICTOR =
      new StrategyKind<>(
          LifetimePredictorProvider.class,
          "lifetime predictor",
          "predictors",
          LifetimePredictorProvider::name,
          LifetimePredictorProvider::create,
          PolicyPlugin::lifetimePredictors,
          config -> config.eviction().predictors());

  /** Policies that select the running sequence to preempt. */
  public static final StrategyKind<PreemptionPolicyProvider> PREEMPTION =
      new StrategyKind<>(
          PreemptionPolicyProvider.class,
          "preemption policy",
          "preemption-policies",
          PreemptionPolicyProvider::name,
          PreemptionPolicyProvider::create,
          PolicyPlugin::preemptionPolicies,
          config -> config.scheduler().policies());

  /** All kinds, in the order of lists. */
  public static final List<StrategyKind<?>> ALL =
      List.of(POLICY, TOKEN_POLICY, TOKEN_BUDGET, PREDICTOR, PREEMPTION);

  /** Returns all service types: the list of a whole JAR, then those of single providers. */
  static List<Class<?>> services() {
    List<Class<?>> services = new ArrayList<>(List.of(PolicyPlugin.class));
    ALL.forEach(kind -> services.add(kind.service()));
    return services;
  }

  static String serviceFile(Class<?> service) {
    return "META-INF/services/" + service.getName();
  }
}

package dev.ebb.host.devkit;

import dev.ebb.host.config.key.ConfiguredSettings;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.policy.HostContext;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Providers that make instances with the settings of an unconfigured host: the JAR's {@code
 * reference.conf} overrides the defaults in {@code create()}.
 */
final class ConfiguredProviders {

  private ConfiguredProviders() {}

  static BlockPolicyProvider policy(Strategy<BlockPolicyProvider> strategy) {
    return BlockPolicyProvider.of(
        strategy.name(), configured(strategy, BlockPolicyProvider::create));
  }

  static TokenPolicyProvider tokenPolicy(Strategy<TokenPolicyProvider> strategy) {
    return TokenPolicyProvider.of(
        strategy.name(), configured(strategy, TokenPolicyProvider::create));
  }

  static TokenBudgetProvider tokenBudget(Strategy<TokenBudgetProvider> strategy) {
    return TokenBudgetProvider.of(
        strategy.name(), configured(strategy, TokenBudgetProvider::create));
  }

  static LifetimePredictorProvider predictor(Strategy<LifetimePredictorProvider> strategy) {
    return LifetimePredictorProvider.of(
        strategy.name(), configured(strategy, LifetimePredictorProvider::create));
  }

  static PreemptionPolicyProvider preemption(Strategy<PreemptionPolicyProvider> strategy) {
    return PreemptionPolicyProvider.of(
        strategy.name(), configured(strategy, PreemptionPolicyProvider::create));
  }

  private static <P, T> Function<PolicyContext, T> configured(
      Strategy<P> strategy, BiFunction<P, PolicyContext, T> create) {
    return context -> create.apply(strategy.provider(), context(strategy, context));
  }

  private static PolicyContext context(Strategy<?> strategy, PolicyContext context) {
    ConfiguredSettings reference =
        new ConfiguredSettings(strategy.name(), strategy.defaults(), strategy.defaults());
    return HostContext.of(context, new ReferenceSettings(context.settings(), reference));
  }
}

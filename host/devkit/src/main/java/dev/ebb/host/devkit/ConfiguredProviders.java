package dev.ebb.host.devkit;

import dev.ebb.host.config.key.ConfiguredSettings;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.policy.HostContext;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;

/**
 * Providers that make instances with the settings of an unconfigured host: the JAR's {@code
 * reference.conf} overrides the defaults in {@code create()}.
 */
final class ConfiguredProviders {

  private ConfiguredProviders() {}

  static BlockPolicyProvider policy(Strategy<BlockPolicyProvider> strategy) {
    return new BlockPolicyProvider() {
      @Override
      public String name() {
        return strategy.provider().name();
      }

      @Override
      public BlockPolicy<?> create(PolicyContext context) {
        return strategy.provider().create(context(strategy, context));
      }
    };
  }

  static TokenPolicyProvider tokenPolicy(Strategy<TokenPolicyProvider> strategy) {
    return new TokenPolicyProvider() {
      @Override
      public String name() {
        return strategy.provider().name();
      }

      @Override
      public TokenPolicy create(PolicyContext context) {
        return strategy.provider().create(context(strategy, context));
      }
    };
  }

  static TokenBudgetProvider tokenBudget(Strategy<TokenBudgetProvider> strategy) {
    return TokenBudgetProvider.of(
        strategy.provider().name(),
        context -> strategy.provider().create(context(strategy, context)));
  }

  static LifetimePredictorProvider predictor(Strategy<LifetimePredictorProvider> strategy) {
    return new LifetimePredictorProvider() {
      @Override
      public String name() {
        return strategy.provider().name();
      }

      @Override
      public LifetimePredictor create(PolicyContext context) {
        return strategy.provider().create(context(strategy, context));
      }
    };
  }

  static PreemptionPolicyProvider preemption(Strategy<PreemptionPolicyProvider> strategy) {
    return new PreemptionPolicyProvider() {
      @Override
      public String name() {
        return strategy.provider().name();
      }

      @Override
      public PreemptionPolicy create(PolicyContext context) {
        return strategy.provider().create(context(strategy, context));
      }
    };
  }

  private static PolicyContext context(Strategy<?> strategy, PolicyContext context) {
    ConfiguredSettings reference =
        new ConfiguredSettings(strategy.name(), strategy.defaults(), strategy.defaults());
    return HostContext.of(context, new ReferenceSettings(context.settings(), reference));
  }
}

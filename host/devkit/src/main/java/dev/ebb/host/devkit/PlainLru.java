package dev.ebb.host.devkit;

import com.typesafe.config.ConfigFactory;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** The host's own order, for comparison if the plugin {@code lru} is not installed. */
final class PlainLru implements BlockPolicyProvider {

  static Strategy<BlockPolicyProvider> strategy() {
    PlainLru provider = new PlainLru();
    return new Strategy<>(
        StrategyKind.POLICY, "lru", "ebb", provider, provider, ConfigFactory.empty());
  }

  @Override
  public String name() {
    return "lru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new BuiltInLru();
  }
}

package dev.ebb.host.shadow;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.RandomSeeds;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.spi.PolicyClock;

/** Creates shadow policies from the currently active plugins and settings. */
public final class ConfiguredPolicies implements PolicySource {

  private final PluginHost plugins;
  private final PolicyFactory factory;

  public ConfiguredPolicies(PluginHost plugins, PolicyFactory factory) {
    this.plugins = plugins;
    this.factory = factory;
  }

  @Override
  public PolicyCandidate create(
      String policy, String partition, long capacityBlocks, PolicyClock clock) {
    PolicySpec spec = Shadows.spec(policy).policy();
    if (spec.display().equals(BuiltInLru.NAME)) {
      return new PolicyCandidate(policy, new BuiltInLru());
    }
    return StrategyInstance.candidate(
        policy,
        factory.create(
            spec, new PolicyPartition(partition, capacityBlocks, clock, RandomSeeds.next())));
  }

  @Override
  public String code(String policy) {
    try {
      String name = Shadows.spec(policy).policy().name();
      return String.valueOf(factory.version(plugins.catalog(), name).sha256());
    } catch (UserError gone) {
      return "";
    }
  }
}

package dev.ebb.host.devkit;

import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.testkit.TestContext;

/** Contexts like those of a host: defaults, and the existing predictors and policies. */
final class Contexts {

  private Contexts() {}

  static TestContext of(PluginCatalog catalog, int capacity) {
    TestContext context = TestContext.ofCapacity(capacity);
    for (String name : catalog.names(StrategyKind.PREDICTOR)) {
      context.with(ConfiguredProviders.predictor(catalog.strategy(StrategyKind.PREDICTOR, name)));
    }
    for (String name : catalog.names(StrategyKind.POLICY)) {
      context.with(ConfiguredProviders.policy(catalog.strategy(StrategyKind.POLICY, name)));
    }
    return context;
  }
}

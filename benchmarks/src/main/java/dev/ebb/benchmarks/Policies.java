package dev.ebb.benchmarks;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.testkit.TestContext;
import java.util.List;
import java.util.ServiceLoader;

/** The shipped policies by name, found as the host finds them. */
final class Policies {

  private Policies() {}

  static BlockPolicy<?> create(String name, long capacityBlocks) {
    return create(name, TestContext.ofCapacity(capacityBlocks));
  }

  static BlockPolicy<?> create(String name, TestContext context) {
    List<PolicyPlugin> plugins =
        ServiceLoader.load(PolicyPlugin.class).stream().map(ServiceLoader.Provider::get).toList();
    plugins.forEach(plugin -> plugin.lifetimePredictors().forEach(context::with));
    return plugins.stream()
        .flatMap(plugin -> plugin.blockPolicies().stream())
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no policy named '" + name + "'"))
        .create(context);
  }
}

package dev.ebb.benchmarks;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.testkit.TestContext;
import java.util.ServiceLoader;

/** The shipped policies by name, found as the host finds them. */
final class Policies {

  private Policies() {}

  static BlockPolicy<?> create(String name, long capacityBlocks) {
    return create(name, TestContext.ofCapacity(capacityBlocks));
  }

  static BlockPolicy<?> create(String name, TestContext context) {
    for (BlockPolicyProvider provider : ServiceLoader.load(BlockPolicyProvider.class)) {
      if (provider.name().equals(name)) {
        ServiceLoader.load(LifetimePredictorProvider.class).forEach(context::with);
        return provider.create(context);
      }
    }
    throw new IllegalArgumentException("no policy named '" + name + "'");
  }
}

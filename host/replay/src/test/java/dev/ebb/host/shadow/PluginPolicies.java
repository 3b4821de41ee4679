package dev.ebb.host.shadow;

import dev.ebb.plugin.arc.ArcPolicies;
import dev.ebb.plugin.predictive.PredictivePolicies;
import dev.ebb.plugin.sieve.SievePolicies;
import dev.ebb.spi.Background;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.Settings;
import dev.ebb.testkit.TestContext;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The policies of the plugins {@code arc}, {@code sieve} and {@code predictive}. */
final class PluginPolicies {

  private static final List<PolicyPlugin> PLUGINS =
      List.of(new ArcPolicies(), new SievePolicies(), new PredictivePolicies());

  private PluginPolicies() {}

  static BlockPolicy<?> create(String name, long capacity, PolicyClock clock) {
    return PLUGINS.stream()
        .flatMap(plugin -> plugin.blockPolicies().stream())
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name))
        .create(new Context(TestContext.ofCapacity(capacity), clock));
  }

  /** Default settings with the time of the trace; background calls run at once. */
  private record Context(TestContext defaults, PolicyClock clock) implements PolicyContext {

    @Override
    public long capacityBlocks() {
      return defaults.capacityBlocks();
    }

    @Override
    public String partition() {
      return defaults.partition();
    }

    @Override
    public Settings settings() {
      return defaults.settings();
    }

    @Override
    public RandomGenerator random() {
      return defaults.random();
    }

    @Override
    public Background background() {
      return new Background() {
        @Override
        public <T> boolean submit(Callable<T> call, Consumer<? super T> done) {
          try {
            done.accept(call.call());
          } catch (Exception failed) {
            throw new IllegalStateException(failed);
          }
          return true;
        }
      };
    }
  }
}

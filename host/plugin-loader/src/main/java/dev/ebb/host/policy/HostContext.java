package dev.ebb.host.policy;

import dev.ebb.spi.Background;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The context of a strategy.
 *
 * @param capacityBlocks the capacity of its partition
 * @param partition its part of the cache
 * @param settings its own settings
 * @param clock the time that entries record
 * @param random its own generator
 * @param predictors makes predictors by name
 * @param policies makes policies to wrap by name
 * @param backgrounds makes the executor of the instance
 */
public record HostContext(
    long capacityBlocks,
    String partition,
    Settings settings,
    PolicyClock clock,
    RandomGenerator random,
    Function<String, LifetimePredictor> predictors,
    Function<String, BlockPolicy<?>> policies,
    Supplier<Background> backgrounds)
    implements PolicyContext {

  /**
   * Returns a copy with other settings.
   *
   * @param settings the strategy's own
   */
  public static HostContext of(PolicyContext context, Settings settings) {
    return new HostContext(
        context.capacityBlocks(),
        context.partition(),
        settings,
        context.clock(),
        context.random(),
        context::predictor,
        context::policy,
        context::background);
  }

  @Override
  public LifetimePredictor predictor(String name) {
    return predictors.apply(name);
  }

  @Override
  public BlockPolicy<?> policy(String name) {
    return policies.apply(name);
  }

  @Override
  public Background background() {
    return backgrounds.get();
  }
}

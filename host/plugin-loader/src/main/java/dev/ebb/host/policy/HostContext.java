package dev.ebb.host.policy;

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * What a strategy may know of its host.
 *
 * @param capacityBlocks blocks it is responsible for
 * @param partition the part of the cache it is responsible for
 * @param settings its own settings
 * @param clock the time that entries record
 * @param random its own generator
 * @param predictors makes predictors by name
 */
public record HostContext(
    long capacityBlocks,
    String partition,
    Settings settings,
    PolicyClock clock,
    RandomGenerator random,
    Function<String, LifetimePredictor> predictors)
    implements PolicyContext {

  /**
   * Another context, but for the settings.
   *
   * @param context says everything else
   * @param settings the strategy's own
   * @return a new context
   */
  public static HostContext of(PolicyContext context, Settings settings) {
    return new HostContext(
        context.capacityBlocks(),
        context.partition(),
        settings,
        context.clock(),
        context.random(),
        context::predictor);
  }

  @Override
  public LifetimePredictor predictor(String name) {
    return predictors.apply(name);
  }
}

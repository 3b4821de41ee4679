package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code lifetime}: evicts entries with the shortest remaining useful life first. */
public final class LifetimeProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public LifetimeProvider() {}

  @Override
  public String name() {
    return "lifetime";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    double confidence = settings.number("confidence", 0.9, 0, 1);
    String predictor = settings.string("predictor", OnlineProvider.NAME);
    return new LifetimePolicy(context.clock(), context.predictor(predictor), confidence);
  }
}

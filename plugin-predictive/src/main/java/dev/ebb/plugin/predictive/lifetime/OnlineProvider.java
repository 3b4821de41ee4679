package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code online}: lifetimes learned from use, for each workload label on its own. */
public final class OnlineProvider implements LifetimePredictorProvider {

  static final String NAME = "online";

  /** Called by the service loader. */
  public OnlineProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public LifetimePredictor create(PolicyContext context) {
    double halfLife = context.settings().number("half-life", 5000, 100, 1e12);
    return new OnlinePredictor(context.clock(), halfLife);
  }
}

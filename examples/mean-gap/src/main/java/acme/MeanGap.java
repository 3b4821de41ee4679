package acme;

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;

/** An entry is of use for as long as the mean time between two uses, and no longer. */
public final class MeanGap implements LifetimePredictorProvider {

  /** Made by the service loader. */
  public MeanGap() {}

  @Override
  public String name() {
    return "mean-gap";
  }

  @Override
  public LifetimePredictor create(PolicyContext context) {
    return new Predictor(context);
  }

  private static final class Predictor implements LifetimePredictor {

    private final PolicyContext context;
    private double gaps;
    private long uses;
    private long lost;

    Predictor(PolicyContext context) {
      this.context = context;
    }

    @Override
    public void observe(Entry entry, Event event, double idleSeconds) {
      switch (event) {
        case INSERTED -> {}
        case REUSED -> {
          gaps += idleSeconds;
          uses++;
        }
        case LEFT -> lost++;
      }
    }

    /** Sure where most entries are used again, and where many have been seen. */
    @Override
    public void predict(Entry entry, Prediction out) {
      double idle = (context.clock().nanos() - entry.lastAccessNanos()) / 1e9;
      double mean = uses == 0 ? 0 : gaps / uses;
      out.set(Math.max(0, mean - idle), (double) uses / (uses + lost + 100));
    }
  }
}

package dev.ebb.testkit;

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;

/** A right predictor: every entry lives as long as the mean of what was seen. */
class MeanPredictorProvider implements LifetimePredictorProvider {

  @Override
  public String name() {
    return "mean";
  }

  @Override
  public LifetimePredictor create(PolicyContext context) {
    return new Mean();
  }

  /** The broken predictors differ from it in what they answer. */
  static class Mean implements LifetimePredictor {
    double sum;
    long count;

    @Override
    public void observe(Entry entry, Event event, double idleSeconds) {
      sum += idleSeconds;
      count += event == Event.INSERTED ? 0 : 1;
    }

    @Override
    public void predict(Entry entry, Prediction out) {
      out.set(count == 0 ? 0 : sum / count, count / (count + 100.0));
    }
  }
}

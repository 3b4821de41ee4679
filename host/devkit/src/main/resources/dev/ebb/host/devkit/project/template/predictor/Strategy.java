package {{package}};

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.Prediction;

/** Predicts the mean time between two uses for every entry. */
final class {{class}} implements LifetimePredictor {

  private final double halfSureAfter;
  private double idleSeconds;
  private long observed;

  {{class}}(double halfSureAfter) {
    this.halfSureAfter = halfSureAfter;
  }

  @Override
  public void observe(Entry entry, Event event, double idle) {
    if (event == Event.REUSED) {
      idleSeconds += idle;
      observed++;
    }
  }

  @Override
  public void predict(Entry entry, Prediction out) {
    out.set(observed == 0 ? 0 : idleSeconds / observed, observed / (observed + halfSureAfter));
  }
}

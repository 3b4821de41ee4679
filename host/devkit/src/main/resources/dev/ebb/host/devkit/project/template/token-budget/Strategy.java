package {{package}};

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy.Granularity;

/** Keeps more tokens in the lower layers, and lets the heads of a layer compete for some of them. */
final class {{class}} implements TokenBudget {

  private final double slope;
  private final double guaranteed;

  {{class}}(double slope, double guaranteed) {
    this.slope = slope;
    this.guaranteed = guaranteed;
  }

  @Override
  public Granularity granularity() {
    return Granularity.KV_HEAD;
  }

  /** Returns how many tokens a layer keeps: from {@code 1 + slope} times the mean down to {@code 1 - slope}. */
  @Override
  public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
    int layers = preferences.length;
    double factor = layers == 1 ? 1 : 1 + slope * (1 - 2.0 * layer / (layers - 1));
    return (int) (tokens * factor);
  }

  /** Returns how many tokens each head of a layer keeps at least. */
  @Override
  public int floor(int keep) {
    return (int) (keep * guaranteed);
  }
}

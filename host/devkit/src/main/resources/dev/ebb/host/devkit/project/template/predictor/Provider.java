package {{package}};

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code {{name}}}. */
public final class {{class}}Provider implements LifetimePredictorProvider {

  /** Called by the service loader. */
  public {{class}}Provider() {}

  @Override
  public String name() {
    return "{{name}}";
  }

  @Override
  public LifetimePredictor create(PolicyContext context) {
    return new {{class}}(context.settings().integer("half-sure-after", 100, 1, 1_000_000_000));
  }
}

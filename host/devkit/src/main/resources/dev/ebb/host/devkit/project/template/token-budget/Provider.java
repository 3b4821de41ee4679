package {{package}};

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenBudgetProvider;

/** Provides {@code {{name}}}. */
public final class {{class}}Provider implements TokenBudgetProvider {

  /** Called by the service loader. */
  public {{class}}Provider() {}

  @Override
  public String name() {
    return "{{name}}";
  }

  @Override
  public TokenBudget create(PolicyContext context) {
    Settings settings = context.settings();
    return new {{class}}(
        settings.number("slope", 0.5, 0, 1), settings.number("guaranteed", 0.5, 0, 1));
  }
}

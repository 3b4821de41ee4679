package dev.ebb.testkit;

import dev.ebb.spi.TokenBudgetProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests that every {@link dev.ebb.spi.TokenBudget} must pass. Extend it once for each provider.
 *
 * @since 1.7.0
 */
public abstract class TokenBudgetContract {

  /** For subclasses. */
  protected TokenBudgetContract() {}

  /**
   * Returns the provider under test.
   *
   * @return a provider, made as {@link java.util.ServiceLoader} would
   */
  protected abstract TokenBudgetProvider provider();

  /**
   * Returns the extent of the checks and the settings that the budget is given.
   *
   * @return {@link CheckSettings#defaults()} unless overridden
   */
  protected CheckSettings settings() {
    return CheckSettings.defaults();
  }

  @TestFactory
  final Stream<DynamicTest> keepsTheContract() {
    return DynamicChecks.of(TokenBudgetChecks.of(provider(), settings()));
  }
}

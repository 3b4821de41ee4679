package dev.ebb.testkit;

import dev.ebb.spi.PreemptionPolicyProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests that every {@link dev.ebb.spi.PreemptionPolicy} must pass. Extend it once for each
 * provider.
 *
 * @since 1.2.0
 */
public abstract class PreemptionPolicyContract {

  /** For subclasses. */
  protected PreemptionPolicyContract() {}

  /**
   * Returns the provider under test.
   *
   * @return a provider, made as {@link java.util.ServiceLoader} would
   */
  protected abstract PreemptionPolicyProvider provider();

  /**
   * Returns the extent of the checks and the settings that the policy is given.
   *
   * @return {@link CheckSettings#defaults()} unless overridden
   */
  protected CheckSettings settings() {
    return CheckSettings.defaults();
  }

  @TestFactory
  final Stream<DynamicTest> keepsTheContract() {
    return DynamicChecks.of(PreemptionPolicyChecks.of(provider(), settings()));
  }
}

package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests that every {@link dev.ebb.spi.BlockPolicy} must pass. Extend it once for each provider.
 *
 * @since 1.0.0
 */
public abstract class BlockPolicyContract {

  /** For subclasses. */
  protected BlockPolicyContract() {}

  /**
   * Returns the provider under test.
   *
   * @return a provider, made as {@link java.util.ServiceLoader} would
   */
  protected abstract BlockPolicyProvider provider();

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
    return DynamicChecks.of(BlockPolicyChecks.of(provider(), settings()));
  }
}

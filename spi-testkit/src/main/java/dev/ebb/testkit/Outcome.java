package dev.ebb.testkit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a check.
 *
 * @param check the check's name
 * @param passed whether no rule was broken
 * @param broken the rule that was broken, null if the check passed
 * @param message if it failed: what happened, the rule, the step and how to repeat it; otherwise a
 *     summary, possibly empty
 * @param seed the seed of everything random in the check
 * @param cause what the strategy threw, null if it threw nothing
 * @since 1.0.0
 */
public record Outcome(
    String check,
    boolean passed,
    @Nullable Rule broken,
    String message,
    long seed,
    @Nullable Throwable cause) {

  static Outcome passed(String check, String message, long seed) {
    return new Outcome(check, true, null, message, seed, null);
  }

  static Outcome failed(String check, Violation violation, long seed) {
    String message =
        "%s%n  rule: %s%n  repeat with seed %d"
            .formatted(violation.getMessage(), violation.rule().text(), seed);
    return new Outcome(check, false, violation.rule(), message, seed, violation.getCause());
  }

  /**
   * Returns whether the checks after this one add nothing.
   *
   * @return why they need not be run, empty if they should be
   */
  public Optional<String> endsTheRun() {
    if (broken == Rule.RETURNS) {
      return Optional.of(
          "a call of '%s' never returned, and its thread still runs".formatted(check));
    }
    return broken == Rule.CREATION
        ? Optional.of("no instance can be made as the contract asks: see '%s'".formatted(check))
        : Optional.empty();
  }

  /**
   * Turns a failure into the error that test frameworks expect.
   *
   * @throws AssertionError if the check failed
   */
  public void orThrow() {
    if (!passed) {
      throw new AssertionError(check + ": " + message, cause);
    }
  }

  @Override
  public String toString() {
    return (passed ? "passed " : "FAILED ") + check + (message.isEmpty() ? "" : ": " + message);
  }
}

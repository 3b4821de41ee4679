package dev.ebb.host.devkit;

import dev.ebb.testkit.Outcome;
import dev.ebb.testkit.Rule;
import org.jspecify.annotations.Nullable;

/**
 * What one check of a JAR found.
 *
 * @param strategy which of its strategies, such as {@code policy warm}; {@code plugin} for the JAR
 *     as a whole
 * @param check what was looked at
 * @param run whether it was looked at
 * @param passed whether all is well
 * @param message what is wrong and what to do, or what was seen; may be empty
 * @param rule the rule of the contract that was broken; null if none was
 */
public record VerifyFinding(
    String strategy,
    String check,
    boolean run,
    boolean passed,
    String message,
    @Nullable String rule) {

  /** Of what was looked at. */
  VerifyFinding(String strategy, String check, boolean passed, String message) {
    this(strategy, check, true, passed, message, null);
  }

  /** Of the contract. */
  static VerifyFinding of(String strategy, Outcome outcome) {
    Rule broken = outcome.broken();
    return new VerifyFinding(
        strategy,
        outcome.check(),
        true,
        outcome.passed(),
        outcome.message(),
        broken == null ? null : broken.text());
  }

  /** Of what was left alone, because it could tell nothing new. */
  static VerifyFinding notRun(String strategy, String check, String why) {
    return new VerifyFinding(strategy, check, false, false, why, null);
  }

  /** Of the JAR as a whole. */
  static VerifyFinding ofPlugin(String check, boolean passed, String message) {
    return new VerifyFinding("plugin", check, passed, message);
  }
}

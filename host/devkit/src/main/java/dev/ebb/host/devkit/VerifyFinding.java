package dev.ebb.host.devkit;

import dev.ebb.testkit.Outcome;
import dev.ebb.testkit.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The finding of one check of a JAR.
 *
 * @param strategy its strategy, such as {@code policy warm}; {@code plugin} for the JAR as a whole
 * @param message the problem and its remedy, or an observation; may be empty
 * @param rule the broken rule of the contract; null if none was
 * @param warning whether it passed, but the author should read the message
 */
public record VerifyFinding(
    String strategy,
    String check,
    boolean run,
    boolean passed,
    String message,
    @Nullable String rule,
    boolean warning) {

  VerifyFinding(String strategy, String check, boolean passed, String message) {
    this(strategy, check, true, passed, message, null, false);
  }

  static VerifyFinding of(String strategy, Outcome outcome) {
    Rule broken = outcome.broken();
    return new VerifyFinding(
        strategy,
        outcome.check(),
        true,
        outcome.passed(),
        outcome.message(),
        broken == null ? null : broken.text(),
        false);
  }

  /** Returns the finding of a skipped check, which would add nothing. */
  static VerifyFinding notRun(String strategy, String check, String why) {
    return new VerifyFinding(strategy, check, false, false, why, null, false);
  }

  /** Returns the finding of a check that passed; a warning unless the message is empty. */
  static VerifyFinding passed(String strategy, String check, String warning) {
    return new VerifyFinding(strategy, check, true, true, warning, null, !warning.isEmpty());
  }

  public static VerifyFinding ofPlugin(String check, boolean passed, String message) {
    return new VerifyFinding("plugin", check, passed, message);
  }
}

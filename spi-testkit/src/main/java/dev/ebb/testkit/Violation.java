package dev.ebb.testkit;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Thrown when a rule is broken; carries the finding to the check's outcome. */
final class Violation extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final Rule rule;

  Violation(Rule rule, String message) {
    this(rule, message, null);
  }

  Violation(Rule rule, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.rule = rule;
  }

  static Violation thrown(Rule rule, String call, Throwable thrown) {
    String where =
        Arrays.stream(thrown.getStackTrace())
            .filter(frame -> !isLibrary(frame.getClassName()))
            .findFirst()
            .map(frame -> " at " + frame)
            .orElse("");
    return new Violation(rule, call + " threw " + thrown + where, thrown);
  }

  // The strategy called something that the contract, a host or the JDK refuses.
  private static boolean isLibrary(String className) {
    return className.startsWith("dev.ebb.spi.")
        || className.startsWith("dev.ebb.host.")
        || className.startsWith("java.");
  }

  /** Returns the same finding with more detail. */
  Violation with(String more) {
    return new Violation(rule, getMessage() + more, getCause());
  }

  Rule rule() {
    return rule;
  }
}

package dev.ebb.testkit;

import org.jspecify.annotations.Nullable;

/** A rule was broken; carries the finding from where it is noticed to the check's outcome. */
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

  /** A call of the strategy threw. */
  static Violation thrown(Rule rule, String call, Throwable thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    String where = frames.length == 0 ? "" : " at " + frames[0];
    return new Violation(rule, call + " threw " + thrown + where, thrown);
  }

  /** The same finding with more said about it. */
  Violation with(String more) {
    return new Violation(rule, getMessage() + more, getCause());
  }

  Rule rule() {
    return rule;
  }
}

package dev.ebb.host.swap;

import java.util.Locale;

/**
 * Why another policy is activated.
 *
 * @param kind who or what asked for it
 * @param detail what there is to add, such as a rule's name or a file; may be empty
 */
public record SwapCause(Kind kind, String detail) {

  /** Who or what asks for a policy. */
  public enum Kind {
    START,
    OPERATOR,
    /** The configuration file has changed. */
    CONFIG_FILE,
    /** The JAR of the active policy was replaced, or one that is configured has come. */
    CHANGED_JAR,
    /** The JAR of the active policy was removed. */
    REMOVED_JAR,
    /** The active policy broke its contract. */
    QUARANTINE,
    /** An operator went back to the policy before. */
    ROLLBACK,
    /** A rule that watches the cache. */
    RULE
  }

  /** The process starts. */
  public static final SwapCause START = new SwapCause(Kind.START, "");

  /** An operator asked for it. */
  public static final SwapCause OPERATOR = new SwapCause(Kind.OPERATOR, "");

  /** An operator asked for what was before. */
  public static final SwapCause ROLLBACK = new SwapCause(Kind.ROLLBACK, "");

  /**
   * Returns a rule asked for it.
   *
   * @param detail which, and why
   * @return a cause
   */
  public static SwapCause rule(String detail) {
    return new SwapCause(Kind.RULE, detail);
  }

  /**
   * Returns the kind in words.
   *
   * @return such as {@code changed JAR}
   */
  public String kindInWords() {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("jar", "JAR");
  }

  @Override
  public String toString() {
    return detail.isEmpty() ? kindInWords() : kindInWords() + ": " + detail;
  }
}

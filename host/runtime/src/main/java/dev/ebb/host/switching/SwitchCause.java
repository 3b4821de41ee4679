package dev.ebb.host.switching;

import java.util.Locale;

/**
 * The cause of a policy switch.
 *
 * @param kind the kind of cause
 * @param detail details such as a rule's name or a file; may be empty
 */
public record SwitchCause(Kind kind, String detail) {

  /** The kind of cause. */
  public enum Kind {
    START,
    OPERATOR,
    /** The configuration file has changed. */
    CONFIG_FILE,
    /** The JAR of the active policy was replaced, or the JAR of the configured policy was added. */
    CHANGED_JAR,
    /** The JAR of the active policy was removed. */
    REMOVED_JAR,
    /** The active policy broke its contract. */
    QUARANTINE,
    /** An operator went back to the previous policy. */
    ROLLBACK,
    /** A rule became active or inactive. */
    RULE
  }

  /** The process starts. */
  public static final SwitchCause START = new SwitchCause(Kind.START, "");

  /** An operator requested the policy. */
  public static final SwitchCause OPERATOR = new SwitchCause(Kind.OPERATOR, "");

  /** An operator requested the previous policy. */
  public static final SwitchCause ROLLBACK = new SwitchCause(Kind.ROLLBACK, "");

  /**
   * Returns the cause of a switch by a rule.
   *
   * @param detail the rule and its reason
   * @return a cause
   */
  public static SwitchCause rule(String detail) {
    return new SwitchCause(Kind.RULE, detail);
  }

  /**
   * Returns the cause of a switch that includes a further place.
   *
   * @param place its name
   * @return a cause
   */
  public static SwitchCause joined(String place) {
    return new SwitchCause(Kind.START, place);
  }

  /** Returns the kind in words, such as {@code changed JAR}. */
  public String kindInWords() {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("jar", "JAR");
  }

  @Override
  public String toString() {
    return detail.isEmpty() ? kindInWords() : kindInWords() + ": " + detail;
  }
}

package dev.ebb.host.switching;

import java.util.Locale;

/**
 * The cause of a policy switch.
 *
 * @param detail details such as a rule's name or a file; may be empty
 */
public record SwitchCause(Kind kind, String detail) {

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

  public static final SwitchCause START = new SwitchCause(Kind.START, "");

  public static final SwitchCause OPERATOR = new SwitchCause(Kind.OPERATOR, "");

  public static final SwitchCause ROLLBACK = new SwitchCause(Kind.ROLLBACK, "");

  public static SwitchCause rule(String detail) {
    return new SwitchCause(Kind.RULE, detail);
  }

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

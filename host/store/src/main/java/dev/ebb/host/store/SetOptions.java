package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

/**
 * The options of a put.
 *
 * @param expiresAt wall-clock milliseconds; read only if {@code expiry} is {@code AT}
 * @param version the version of the value, which is then put only if there is no value or an older
 *     one; 0 to put it with a new version
 */
public record SetOptions(
    Condition condition, Expiry expiry, long expiresAt, boolean wantsOld, long version) {

  public static final SetOptions PLAIN = new SetOptions(Condition.ALWAYS, Expiry.NONE, 0, false);

  public enum Condition {
    ALWAYS,
    IF_ABSENT,
    IF_PRESENT
  }

  public enum Expiry {
    /** It lives until it is evicted. */
    NONE,
    /** It keeps the expiry of the previous value. */
    KEEP,
    /** It ends at a time. */
    AT
  }

  public SetOptions {
    requireNonNull(condition, "condition is null");
    requireNonNull(expiry, "expiry is null");
    if (version < 0) {
      throw new IllegalArgumentException(
          "version '%d' is negative; give 0 for a new version".formatted(version));
    }
  }

  boolean allows(boolean present) {
    return condition == Condition.ALWAYS || present == (condition == Condition.IF_PRESENT);
  }

  public SetOptions(Condition condition, Expiry expiry, long expiresAt, boolean wantsOld) {
    this(condition, expiry, expiresAt, wantsOld, 0);
  }
}

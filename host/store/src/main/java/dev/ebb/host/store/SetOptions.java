package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

/**
 * How a value is put.
 *
 * @param condition when it is put at all
 * @param expiry what becomes of the key's life
 * @param expiresAt wall-clock milliseconds; read only if {@code expiry} is {@code AT}
 * @param wantsOld whether the value that was there is to be returned
 */
public record SetOptions(Condition condition, Expiry expiry, long expiresAt, boolean wantsOld) {

  /** Always, for good. */
  public static final SetOptions PLAIN = new SetOptions(Condition.ALWAYS, Expiry.NONE, 0, false);

  /** When a value is put. */
  public enum Condition {
    /** Whatever is there. */
    ALWAYS,
    /** If nothing is there. */
    IF_ABSENT,
    /** If something is there. */
    IF_PRESENT
  }

  /** What becomes of the key's life. */
  public enum Expiry {
    /** It lives until it is evicted. */
    NONE,
    /** It ends when the value that was there would have ended. */
    KEEP,
    /** It ends at a time. */
    AT
  }

  /** Checks that nothing is missing. */
  public SetOptions {
    requireNonNull(condition, "condition is null");
    requireNonNull(expiry, "expiry is null");
  }
}

package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * What came of putting a value.
 *
 * @param outcome what happened
 * @param old the value that was there, to be closed by the caller; null if there was none or it was
 *     not asked for
 */
public record SetResult(Outcome outcome, @Nullable ValueReader old) {

  /** What happened. */
  public enum Outcome {
    /** The value is there. */
    STORED,
    /** The condition did not hold; nothing changed. */
    UNMET,
    /** There was no room: neither the new value nor the one before is there. */
    NOT_KEPT
  }
}

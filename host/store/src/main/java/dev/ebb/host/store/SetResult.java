package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * The result of a put.
 *
 * @param old the previous value, to be closed by the caller; null if there was none or it was not
 *     requested
 * @param version that of the new value, if it is stored
 */
public record SetResult(Outcome outcome, @Nullable ValueReader old, long version) {

  public enum Outcome {
    /** The value is stored. */
    STORED,
    /** The condition did not hold, or the existing value is not older; nothing changed. */
    UNMET,
    /** There was no room: neither the new value nor the previous one exists. */
    NOT_KEPT
  }
}

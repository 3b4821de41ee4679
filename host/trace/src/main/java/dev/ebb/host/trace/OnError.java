package dev.ebb.host.trace;

import java.util.Locale;

/** The action on a malformed line. */
public enum OnError {
  /** Stop with a {@link TraceException} that names the line. */
  STOP,
  /** Leave the line out, and count it. */
  SKIP;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

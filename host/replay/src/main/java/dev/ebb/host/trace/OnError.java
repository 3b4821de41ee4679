package dev.ebb.host.trace;

/** What to do about a malformed line. */
public enum OnError {
  /** Stop with a {@link TraceException} that names the line. */
  STOP,
  /** Leave the line out, and count it. */
  SKIP
}

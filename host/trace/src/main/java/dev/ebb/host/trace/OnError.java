package dev.ebb.host.trace;

/** The action on a malformed line. */
public enum OnError {
  /** Stop with a {@link TraceException} that names the line. */
  STOP,
  /** Leave the line out, and count it. */
  SKIP
}

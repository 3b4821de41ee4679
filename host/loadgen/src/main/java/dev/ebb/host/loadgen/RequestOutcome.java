package dev.ebb.host.loadgen;

/** The kind of a reply. */
public enum RequestOutcome {
  /** A line with success, or a number. */
  DONE,
  VALUE,
  WRONG,
  /** A value of another size or with another beginning: perhaps of another run. */
  FOREIGN,
  /** There is no such key. */
  MISSING,
  /** An error line. */
  ERROR
}

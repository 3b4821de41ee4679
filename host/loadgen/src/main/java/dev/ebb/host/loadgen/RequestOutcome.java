package dev.ebb.host.loadgen;

/** The kind of a reply. */
enum RequestOutcome {
  /** A line with success, or a number. */
  DONE,
  VALUE,
  WRONG,
  /** There is no such key. */
  MISSING,
  /** An error line. */
  ERROR
}

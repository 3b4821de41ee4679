package dev.ebb.host.loadgen;

/** What a reply was. */
enum RequestOutcome {
  /** A line that says yes, or a number. */
  DONE,
  /** A value. */
  VALUE,
  /** A value that is not the key's. */
  WRONG,
  /** There is no such key. */
  MISSING,
  /** An error in words. */
  ERROR
}

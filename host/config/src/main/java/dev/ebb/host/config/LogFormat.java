package dev.ebb.host.config;

/** The format of the log: a choice of {@code ebb.log.format}. */
public enum LogFormat {
  /** Lines for people. */
  TEXT,
  /** A JSON object on each line. */
  JSON
}

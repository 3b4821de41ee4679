package dev.ebb.host.config;

/** Whether the admin server is opened. */
public enum AdminChoice {
  /** By a serving process, not by an embedded one. */
  AUTO,
  /** By an embedded one too. */
  TRUE,
  /** Never. */
  FALSE
}

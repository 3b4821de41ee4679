package dev.ebb.host.config.server;

/** The processes that open the admin server. */
public enum AdminChoice {
  /** A serving process, but not an embedded one. */
  AUTO,
  /** An embedded one too. */
  TRUE,
  /** Never. */
  FALSE
}

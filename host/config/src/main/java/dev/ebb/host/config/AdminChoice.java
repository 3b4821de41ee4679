package dev.ebb.host.config;

/** Whether the administration's door is opened. */
public enum AdminChoice {
  /** By a serving process, not by an embedded one. */
  AUTO,
  /** By an embedded one too. */
  TRUE,
  /** Never. */
  FALSE
}

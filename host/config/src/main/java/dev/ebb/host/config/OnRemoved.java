package dev.ebb.host.config;

/** What happens when the JAR of the active policy is taken out of the drop-in folder. */
public enum OnRemoved {
  /** Its private copy serves on. */
  KEEP,
  /** The host's own order takes over. */
  FALL_BACK
}

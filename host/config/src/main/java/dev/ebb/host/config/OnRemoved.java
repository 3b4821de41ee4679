package dev.ebb.host.config;

/** The action when the JAR of the active policy is removed from the plugin folder. */
public enum OnRemoved {
  /** Its private copy continues to serve. */
  KEEP,
  /** The host's own order takes over. */
  FALL_BACK
}

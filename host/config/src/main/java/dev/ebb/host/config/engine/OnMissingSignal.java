package dev.ebb.host.config.engine;

/** The action if an engine does not provide a signal that a token policy needs. */
public enum OnMissingSignal {
  /** The configuration is refused. */
  REFUSE,
  /** The policy {@code sliding-window} replaces it. */
  SLIDING_WINDOW
}

package dev.ebb.host.config;

/** What happens if an engine does not hand over what a token policy needs. */
public enum OnMissingSignal {
  /** The configuration is refused. */
  REFUSE,
  /** The policy {@code sliding-window} takes its place. */
  SLIDING_WINDOW
}

package dev.ebb.host.config.server;

/** The reply to a client whose value does not fit. */
public enum OnFullChoice {
  /** Success, as if the value had been evicted immediately. */
  DROP,
  /** An error. */
  ERROR
}

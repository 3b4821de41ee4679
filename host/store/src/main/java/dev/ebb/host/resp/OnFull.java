package dev.ebb.host.resp;

/** The reply to a client whose value does not fit. */
public enum OnFull {
  /** {@code +OK}, as if it had been evicted immediately: clients of a cache must expect that. */
  DROP,
  /** {@code -OOM}. */
  ERROR
}

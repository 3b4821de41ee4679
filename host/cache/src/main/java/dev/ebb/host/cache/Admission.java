package dev.ebb.host.cache;

public enum Admission {
  /** The space is reserved. */
  ADMITTED,
  /** The policy keeps a victim rather than the object. */
  REJECTED,
  /** Too little can be evicted. */
  NO_SPACE
}

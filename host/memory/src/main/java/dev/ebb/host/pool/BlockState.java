package dev.ebb.host.pool;

/** The state of a block. */
public enum BlockState {
  /** Not allocated. */
  FREE,
  /** Allocated. */
  ALLOCATED,
  /** Being copied to another device; it may be read and freed, not written. */
  MIGRATING
}

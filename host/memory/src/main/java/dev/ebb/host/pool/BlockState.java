package dev.ebb.host.pool;

/** What a block is doing. */
public enum BlockState {
  /** Nobody has it. */
  FREE,
  /** Somebody has it. */
  ALLOCATED,
  /** A copy of it is being made on another device; it may be read and freed, not written. */
  MIGRATING
}

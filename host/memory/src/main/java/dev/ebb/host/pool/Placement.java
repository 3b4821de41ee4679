package dev.ebb.host.pool;

/** The placement of blocks that are allocated together. */
public enum Placement {
  /** One after the other. Fails if no free run is long enough. */
  CONTIGUOUS,
  /** Anywhere. Fails only if too few blocks are free. */
  SCATTERED
}

package dev.ebb.host.pool;

/** How blocks that are allocated together must lie. */
public enum Placement {
  /** One after the other. Fails if no free run is long enough. */
  CONTIGUOUS,
  /** Anywhere. Fails only if too few blocks are free. */
  SCATTERED
}

package dev.ebb.host.pool;

/**
 * Thrown when the pool does not have enough free blocks. The message says what holds the memory.
 */
public final class PoolFullException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean compactionHelps;

  PoolFullException(String message, boolean compactionHelps) {
    super(message, null, false, false);
    this.compactionHelps = compactionHelps;
  }

  /** Returns whether enough blocks are free, only not in one run. */
  public boolean compactionHelps() {
    return compactionHelps;
  }
}

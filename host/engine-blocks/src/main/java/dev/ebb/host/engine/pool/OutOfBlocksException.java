package dev.ebb.host.engine.pool;

/**
 * Thrown when the pool has no room, and none could be made. The message says what holds the memory.
 */
public final class OutOfBlocksException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient PoolReport report;

  public OutOfBlocksException(String message, PoolReport report) {
    super(message);
    this.report = report;
  }

  /** Returns the pool's report at the time of the failure. */
  public PoolReport report() {
    return report;
  }
}

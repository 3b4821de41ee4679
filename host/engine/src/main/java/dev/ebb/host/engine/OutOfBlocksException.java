package dev.ebb.host.engine;

/** There is no room in the pool, and none could be made. The message says what holds the memory. */
public final class OutOfBlocksException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient PoolReport report;

  OutOfBlocksException(String message, PoolReport report) {
    super(message);
    this.report = report;
  }

  /**
   * Who holds the memory.
   *
   * @return the pool as it was when this was thrown
   */
  public PoolReport report() {
    return report;
  }
}

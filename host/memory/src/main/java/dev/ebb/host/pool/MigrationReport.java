package dev.ebb.host.pool;

/**
 * The progress of a migration.
 *
 * @param blocksCopied blocks whose bytes have arrived
 * @param nanos time spent copying and checking
 */
public record MigrationReport(
    int blocks, int blocksCopied, long bytesCopied, long nanos, State state) {

  /** The state of a migration. */
  public enum State {
    /** The source is valid; some bytes may have arrived. */
    COPYING,
    COMPLETE,
    /** The source is valid, the target is free. */
    CANCELLED
  }

  /** Returns the speed: bytes a second, 0 if nothing was copied. */
  public double bytesPerSecond() {
    return nanos == 0 ? 0 : bytesCopied * 1e9 / nanos;
  }
}

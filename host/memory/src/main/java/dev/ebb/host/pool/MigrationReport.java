package dev.ebb.host.pool;

/**
 * What a migration has done so far.
 *
 * @param blocks blocks to move
 * @param blocksCopied blocks whose bytes have arrived
 * @param bytesCopied their size
 * @param nanos time spent copying and checking
 * @param state how far it is
 */
public record MigrationReport(
    int blocks, int blocksCopied, long bytesCopied, long nanos, State state) {

  /** How far a migration is. */
  public enum State {
    /** The source is valid; some bytes may have arrived. */
    COPYING,
    /** The target is valid, the source is free. */
    COMPLETE,
    /** The source is valid, the target is free. */
    CANCELLED
  }

  /**
   * How quick it was.
   *
   * @return bytes a second, 0 if nothing was copied
   */
  public double bytesPerSecond() {
    return nanos == 0 ? 0 : bytesCopied * 1e9 / nanos;
  }
}

package dev.ebb.host.pool;

/**
 * The result of one compaction.
 *
 * @param nanos its duration, with the pool locked
 * @param fragmentationBefore share of free blocks in short runs before, 0 to 1
 * @param fragmentationAfter the same afterwards
 * @param largestFreeRun blocks in the longest free run afterwards
 */
public record CompactionReport(
    int blocksMoved,
    long bytesMoved,
    long nanos,
    double fragmentationBefore,
    double fragmentationAfter,
    int largestFreeRun) {

  /** Returns the speed: bytes a second, 0 if nothing moved. */
  public double bytesPerSecond() {
    return nanos == 0 ? 0 : bytesMoved * 1e9 / nanos;
  }
}

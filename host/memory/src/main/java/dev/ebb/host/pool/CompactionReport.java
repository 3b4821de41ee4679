package dev.ebb.host.pool;

/**
 * What one compaction did.
 *
 * @param blocksMoved blocks that have other numbers now
 * @param bytesMoved their size
 * @param nanos how long it took, with the pool locked
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

  /**
   * How quick it was.
   *
   * @return bytes a second, 0 if nothing moved
   */
  public double bytesPerSecond() {
    return nanos == 0 ? 0 : bytesMoved * 1e9 / nanos;
  }
}

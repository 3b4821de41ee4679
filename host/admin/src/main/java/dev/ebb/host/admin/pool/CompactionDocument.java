package dev.ebb.host.admin.pool;

import java.util.List;

/**
 * The result of a pool compaction.
 *
 * @param seconds the duration, during which the pool was locked
 * @param fragmentationBefore the share of free blocks in short runs, 0 to 1
 * @param largestFreeRun length of the longest free run in blocks
 */
public record CompactionDocument(
    String device,
    long blocksMoved,
    long bytesMoved,
    double seconds,
    double fragmentationBefore,
    double fragmentationAfter,
    int largestFreeRun) {

  public record All(List<CompactionDocument> pools) {}
}

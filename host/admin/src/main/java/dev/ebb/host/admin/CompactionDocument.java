package dev.ebb.host.admin;

import java.util.List;

/**
 * A pool after its blocks were moved together.
 *
 * @param device where it is
 * @param blocksMoved how many
 * @param bytesMoved their bytes
 * @param seconds what it took, while the pool was locked
 * @param fragmentationBefore the share of free blocks in short runs, 0 to 1
 * @param fragmentationAfter the same afterwards
 * @param largestFreeRun blocks
 */
public record CompactionDocument(
    String device,
    long blocksMoved,
    long bytesMoved,
    double seconds,
    double fragmentationBefore,
    double fragmentationAfter,
    int largestFreeRun) {

  /** Several pools. */
  public record All(List<CompactionDocument> pools) {}
}

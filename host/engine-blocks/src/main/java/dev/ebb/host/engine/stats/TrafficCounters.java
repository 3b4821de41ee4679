package dev.ebb.host.engine.stats;

/**
 * The counters of sequences since the start.
 *
 * @param finished sequences whose blocks were published
 * @param aborted sequences aborted, or refused for lack of room
 * @param copiedBlocks blocks copied because forks shared them
 * @param copiedOverBlocks blocks of prefixes copied here because only another device had them
 * @param migrations migrations to this device that completed
 * @param cancelledMigrations migrations to this device that were cancelled
 * @param compactedBlocks blocks that compaction has moved on this device
 * @param matchedTokens prompt tokens whose K and V were cached, in memory or on the disk
 * @param diskTokens those of them that were read from the disk
 * @param remoteTokens those of them that were read from the server that engines share
 */
public record TrafficCounters(
    long opened,
    long forked,
    long finished,
    long aborted,
    long preempted,
    long copiedBlocks,
    long copiedOverBlocks,
    long arrivedBlocks,
    long migrations,
    long cancelledMigrations,
    long migratedBytes,
    long compactedBlocks,
    long promptTokens,
    long matchedTokens,
    long diskTokens,
    long remoteTokens) {

  /** Returns the hit ratio of prompt tokens; NaN before the first prompt. */
  public double hitRatio() {
    return promptTokens == 0 ? Double.NaN : (double) matchedTokens / promptTokens;
  }
}

package dev.ebb.host.engine;

/**
 * What sequences did since the start.
 *
 * @param opened sequences opened from tokens
 * @param forked sequences forked from others
 * @param finished sequences whose blocks were published
 * @param aborted sequences aborted, or refused for want of room
 * @param preempted sequences that gave way
 * @param copiedBlocks blocks copied because forks shared them
 * @param copiedOverBlocks blocks of prefixes copied here because only another device had them
 * @param arrivedBlocks blocks that migrated here
 * @param compactedBlocks blocks that compaction has moved on this device
 * @param promptTokens tokens of all prompts
 * @param matchedTokens those whose K and V were there
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
    long compactedBlocks,
    long promptTokens,
    long matchedTokens) {

  /**
   * The share of prompt tokens that need not be computed.
   *
   * @return 0 to 1, NaN before the first prompt
   */
  public double hitRatio() {
    return promptTokens == 0 ? Double.NaN : (double) matchedTokens / promptTokens;
  }
}

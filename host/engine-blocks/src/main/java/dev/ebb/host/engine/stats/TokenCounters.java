package dev.ebb.host.engine.stats;

/**
 * The counters of token policies since the start.
 *
 * @param evictions calls that pruned a sequence
 * @param removedTokens dropped tokens, of each sequence's longest lane
 * @param faults calls in which a policy failed; the sequence kept its tokens, or sliding-window
 *     chose
 */
public record TokenCounters(
    long evictions,
    long removedTokens,
    long freedBytes,
    long faults,
    long missingSignals,
    long fallbacks,
    long refusals) {}

package dev.ebb.host.engine.stats;

/**
 * The counters of token policies since the start.
 *
 * @param evictions calls that pruned a sequence
 * @param removedTokens dropped tokens, of each sequence's longest lane
 * @param freedBytes bytes returned to the pool
 * @param faults calls in which a policy failed; the sequence kept its tokens, or sliding-window
 *     chose
 * @param missingSignals calls in which a policy's signals were missing
 * @param fallbacks calls in which sliding-window replaced a policy
 * @param refusals calls without room to copy shared blocks
 */
public record TokenCounters(
    long evictions,
    long removedTokens,
    long freedBytes,
    long faults,
    long missingSignals,
    long fallbacks,
    long refusals) {}

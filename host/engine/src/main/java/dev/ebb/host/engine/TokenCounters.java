package dev.ebb.host.engine;

/**
 * What token policies did since the start.
 *
 * @param evictions calls that pruned a sequence
 * @param removedTokens tokens that left, of each sequence's longest lane
 * @param freedBytes bytes that went back to the pool
 * @param faults calls in which a policy failed; the sequence kept its tokens, or sliding-window
 *     chose
 * @param missingSignals calls in which a policy's signals were not there
 * @param fallbacks calls in which sliding-window took a policy's place
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

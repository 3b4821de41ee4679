package dev.ebb.host.hint;

import java.util.Map;

/**
 * The statistics of hints.
 *
 * @param actions actions by type and outcome; unknown types are together
 * @param retainedTokens tokens that each tenant retains now; tenants that retain none are missing
 */
public record HintStats(
    Map<String, Map<HintOutcome, Long>> actions,
    Map<String, Long> retainedTokens,
    long maxRetainedTokens) {}

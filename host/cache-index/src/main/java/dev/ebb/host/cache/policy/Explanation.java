package dev.ebb.host.cache.policy;

/**
 * A policy's explanation of an entry.
 *
 * @param score the policy's score of the entry; NaN if it has none
 * @param text one line; empty if it has nothing to say
 */
public record Explanation(String policy, double score, String text) {}

package dev.ebb.host.cache;

/**
 * How a policy rates an entry.
 *
 * @param policy the name of the policy that says so
 * @param score the number by which it judges the entry; NaN if it has none
 * @param text its words, one line; empty if it has nothing to say
 */
public record Explanation(String policy, double score, String text) {}

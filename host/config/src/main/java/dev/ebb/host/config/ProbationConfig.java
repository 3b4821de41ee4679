package dev.ebb.host.config;

/**
 * {@code ebb.eviction.min-access-count} and {@code ebb.eviction.probation-ratio}.
 *
 * @param minAccesses uses before an entry is the policy's to judge, the one that makes it included;
 *     1 for none
 * @param ratio how much of the capacity is for those that wait, 0 to 1
 */
public record ProbationConfig(int minAccesses, double ratio) {}

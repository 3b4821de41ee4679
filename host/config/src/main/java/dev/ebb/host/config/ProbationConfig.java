package dev.ebb.host.config;

/**
 * {@code ebb.eviction.min-access-count} and {@code ebb.eviction.probation-ratio}.
 *
 * @param minAccesses uses before an entry is handed to the policy, its insertion included; 1 for
 *     none
 * @param ratio the share of the capacity for entries on probation, 0 to 1
 */
public record ProbationConfig(int minAccesses, double ratio) {}

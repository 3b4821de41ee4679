package dev.ebb.host.config;

import java.time.Duration;
import java.util.List;

/**
 * {@code ebb.eviction}.
 *
 * @param policy the active block policy
 * @param rules rules that activate another policy; the first that holds takes precedence
 * @param policies settings of block policies
 * @param predictors settings of lifetime predictors
 * @param threshold occupancy above which background eviction starts, 0 to 1
 * @param target occupancy at which it stops, 0 to {@code threshold}
 * @param deadline how long a policy may make no progress while a request waits; above zero
 * @param logSize how many of the last evictions are remembered, 1 or more
 * @param ttl how long an entry lives without being used; zero for ever
 * @param pinBudget the share of the capacity that operators may pin, 0 to 1
 * @param probation the probation of new entries
 */
public record EvictionConfig(
    Choice policy,
    List<RuleConfig> rules,
    StrategySettings policies,
    StrategySettings predictors,
    double threshold,
    double target,
    Duration deadline,
    int logSize,
    Duration ttl,
    double pinBudget,
    ProbationConfig probation) {

  public EvictionConfig {
    rules = List.copyOf(rules);
  }
}

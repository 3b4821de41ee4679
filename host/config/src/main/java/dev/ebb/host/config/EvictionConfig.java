package dev.ebb.host.config;

import java.time.Duration;
import java.util.List;

/**
 * {@code ebb.eviction}.
 *
 * @param policy the block policy that serves
 * @param rules when another one does, the first that holds before the others
 * @param policies settings of block policies
 * @param predictors settings of lifetime predictors
 * @param threshold occupancy above which eviction starts in the background, 0 to 1
 * @param target occupancy at which it stops, 0 to {@code threshold}
 * @param deadline how long a policy may take without progress while somebody waits; above zero
 * @param logSize how many of the last evictions are remembered, 1 or more
 * @param ttl how long an entry lives without being used; zero for ever
 * @param pinBudget how much of the capacity operators may pin, 0 to 1
 * @param probation what newcomers have to go through
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

  /** Takes a copy of the list. */
  public EvictionConfig {
    rules = List.copyOf(rules);
  }
}

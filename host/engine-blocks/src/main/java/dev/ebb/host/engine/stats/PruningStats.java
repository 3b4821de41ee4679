package dev.ebb.host.engine.stats;

import dev.ebb.host.cache.stats.Histogram;
import java.util.List;

/**
 * The counters of token policies since the start.
 *
 * @param policies each policy, in the order in which they were first used
 * @param fallbacksAfterFault calls in which sliding-window replaced a failed policy
 * @param fallbacksWithoutSignal calls in which it replaced a policy whose signals were missing, and
 *     policies that it replaced permanently for that reason
 */
public record PruningStats(
    TokenCounters counters,
    List<Policy> policies,
    long fallbacksAfterFault,
    long fallbacksWithoutSignal,
    Histogram passNanos) {

  public PruningStats {
    policies = List.copyOf(policies);
  }

  /**
   * One token policy.
   *
   * @param passes calls that selected tokens
   * @param keptTokens kept tokens, of each sequence's longest lane
   */
  public record Policy(
      String name, long passes, long keptTokens, long droppedTokens, long freedBytes) {}
}

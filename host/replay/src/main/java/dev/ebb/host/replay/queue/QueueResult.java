package dev.ebb.host.replay.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a trace under one preemption policy.
 *
 * @param answered requests that were computed to their end
 * @param tooLong requests that do not fit into the memory even alone
 * @param computedTokens prompt and output tokens computed, some of them again
 * @param recomputedTokens tokens computed again after a preemption
 * @param waits by answered request, sorted: nanoseconds before its admissions
 * @param latencies by answered request, sorted: nanoseconds from arrival to the last token
 * @param missedDeadlines answered requests whose latency exceeds the deadline
 * @param fault the policy's failure, after which the default replaced it; null if there was none
 */
public record QueueResult(
    String policy,
    int answered,
    int tooLong,
    long preemptions,
    long computedTokens,
    long recomputedTokens,
    List<Long> waits,
    List<Long> latencies,
    int missedDeadlines,
    @Nullable String fault) {

  public QueueResult {
    waits = waits.stream().sorted().toList();
    latencies = latencies.stream().sorted().toList();
  }

  /**
   * Returns a percentile of sorted values in milliseconds.
   *
   * @param percent 0 to 100
   * @return NaN if there are none
   */
  public static double millis(List<Long> sorted, double percent) {
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.get(Math.max(0, rank - 1)) / 1e6;
  }
}

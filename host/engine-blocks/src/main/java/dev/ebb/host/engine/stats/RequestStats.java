package dev.ebb.host.engine.stats;

import dev.ebb.host.cache.stats.Histogram;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The requests of the scheduler on an engine, at one moment. Counts are since the start.
 *
 * @param queued requests that wait for their first admission
 * @param limit requests that may run at a time
 * @param finished ended requests that were not refused, by the reason as vLLM names it: {@code
 *     stop}, {@code length}, {@code abort} and {@code error}, or {@code tool_calls} or {@code
 *     moved}
 * @param queueNanos the time from submission to the first admission
 * @param firstTokenNanos the time from submission to the first token
 * @param interTokenNanos the time between two tokens of a request
 * @param latencyNanos the time from submission to the last token, of complete answers
 * @param reason the reason for the limit; empty before the first decision
 * @param changes the last changes of the limit, oldest first
 */
public record RequestStats(
    int running,
    int queued,
    int preempted,
    int limit,
    long preemptions,
    long generatedTokens,
    Map<String, Long> finished,
    Map<String, Long> refused,
    Histogram queueNanos,
    Histogram firstTokenNanos,
    Histogram interTokenNanos,
    Histogram latencyNanos,
    String reason,
    List<LimitChange> changes,
    long limitChanges) {

  public RequestStats {
    finished = Map.copyOf(finished);
    refused = Map.copyOf(refused);
    changes = List.copyOf(changes);
  }

  /** A change of the number of requests that may run at a time. */
  public record LimitChange(Instant time, int before, int limit, String reason) {}

  /** Returns the requests that do not run, preempted ones included. */
  public int waiting() {
    return queued + preempted;
  }

  /** Returns how many requests ended for a reason, refused or not. */
  public long ended(String reason) {
    return finished.getOrDefault(reason, 0L) + refused.getOrDefault(reason, 0L);
  }
}

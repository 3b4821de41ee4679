package dev.ebb.host.scheduler;

import java.util.Locale;

/**
 * The load of a scheduler and its memory since the last decision about the batch size.
 *
 * @param nanos the time of the observation
 * @param seconds the time that it covers, above 0
 * @param limit requests that could run at a time
 * @param most the largest limit, {@link SchedulerOptions#maxRunning}
 * @param queued requests that wait for their first admission
 * @param preemptions requests preempted in this time
 * @param servedTokens prompt tokens of requests that generated their first token in this time, and
 *     all tokens generated; nothing that is computed again counts
 * @param evictions blocks evicted in this time
 * @param requestedAgain requests in this time for blocks evicted shortly before
 * @param occupancy the share of the memory that running requests use; NaN if unknown
 */
public record BatchObservation(
    long nanos,
    double seconds,
    int limit,
    int most,
    int running,
    int queued,
    int preempted,
    long preemptions,
    long servedTokens,
    long evictions,
    long requestedAgain,
    double occupancy) {

  /** Returns the blocks evicted per second. */
  public double evictionRate() {
    return evictions / seconds;
  }

  /** Returns the tokens served per second. */
  public double servedRate() {
    return servedTokens / seconds;
  }

  /** Returns whether requests wait because of the limit. */
  public boolean isLimited() {
    return running >= limit && queued + preempted > 0;
  }

  /** Decides on a limit; outside 1 to {@code most} the nearest of them. */
  BatchSizeDecision decide(int next, String reason, Object... values) {
    return new BatchSizeDecision(
        this, Math.clamp(next, 1, most), String.format(Locale.ROOT, reason, values));
  }
}

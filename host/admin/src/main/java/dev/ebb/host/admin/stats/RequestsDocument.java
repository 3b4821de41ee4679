package dev.ebb.host.admin.stats;

import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.http.View;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an engine's scheduler. Counts are since the start.
 *
 * @param waiting requests that do not run, preempted ones included
 * @param queueTime from arrival until the request runs
 * @param firstToken from arrival to the first output token
 * @param interToken between two output tokens of a request
 * @param latency from arrival to the last output token of complete answers
 */
public record RequestsDocument(
    int running,
    int waiting,
    int preempted,
    long preemptions,
    long generatedTokens,
    Map<String, Long> finished,
    Map<String, Long> refused,
    Latency queueTime,
    Latency firstToken,
    Latency interToken,
    Latency latency,
    BatchSize batchSize) {

  /**
   * A latency.
   *
   * @param p50 median of the last minute in seconds; null without measurements
   * @param p99 99th percentile of the last minute in seconds; null without measurements
   */
  public record Latency(long count, @Nullable Double p50, @Nullable Double p99) {}

  /**
   * The number of requests that may run at a time.
   *
   * @param reason the reason of the last decision; null before it
   */
  public record BatchSize(
      int limit, @Nullable String reason, long changes, List<LimitChange> last) {}

  /**
   * A change of the limit.
   *
   * @param time ISO 8601
   */
  public record LimitChange(String time, int from, int to, String reason) {}

  static RequestsDocument of(RequestStats stats, RequestLatencies recent) {
    return View.of(RequestsDocument.class, stats)
        .with("finished", new TreeMap<>(stats.finished()))
        .with("refused", new TreeMap<>(stats.refused()))
        .with("queueTime", recent.queue.latency(stats.queueNanos()))
        .with("firstToken", recent.firstToken.latency(stats.firstTokenNanos()))
        .with("interToken", recent.interToken.latency(stats.interTokenNanos()))
        .with("latency", recent.latency.latency(stats.latencyNanos()))
        .with(
            "batchSize",
            new BatchSize(
                stats.limit(),
                stats.reason().isEmpty() ? null : stats.reason(),
                stats.limitChanges(),
                stats.changes().stream().map(RequestsDocument::change).toList()))
        .get();
  }

  private static LimitChange change(RequestStats.LimitChange change) {
    return View.of(LimitChange.class, change)
        .with("from", change.before())
        .with("to", change.limit())
        .get();
  }
}

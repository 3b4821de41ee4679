package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.scheduler.BatchSizeDecision;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.SchedulerObserver;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and measures the requests of a scheduler. Thread-safe. */
public final class RequestRecorder implements SchedulerObserver {

  private static final Logger LOG = LoggerFactory.getLogger(RequestRecorder.class);
  private static final int KEPT_CHANGES = 20;

  /** The reason of an answer that calls functions. */
  private static final String TOOL_CALLS = "tool_calls";

  private final Map<String, Long> finished = new LinkedHashMap<>();
  private final Map<String, Long> refused = new LinkedHashMap<>();
  private final Histogram queueNanos = new Histogram();
  private final Histogram firstTokenNanos = new Histogram();
  private final Histogram interTokenNanos = new Histogram();
  private final Histogram latencyNanos = new Histogram();
  private final Deque<RequestStats.LimitChange> changes = new ArrayDeque<>();
  private boolean used;
  private int running;
  private int queued;
  private int preempted;
  private int limit;
  private long preemptions;
  private long generatedTokens;
  private long limitChanges;
  private String reason = "";

  RequestRecorder() {
    for (EndReason each : EndReason.values()) {
      if (each.refused()) {
        refused.put(name(each), 0L);
      }
    }
    List.of("stop", "length", TOOL_CALLS, "abort", "error").forEach(each -> finished.put(each, 0L));
  }

  /** Returns this, for a scheduler that uses the engine from now on. */
  synchronized RequestRecorder started() {
    used = true;
    return this;
  }

  @Override
  public synchronized void step(int nowRunning, int nowQueued, int nowPreempted, int nowLimit) {
    running = nowRunning;
    queued = nowQueued;
    preempted = nowPreempted;
    limit = nowLimit;
  }

  @Override
  public synchronized void admitted(ScheduledRequest<?> request, long nanos) {
    queueNanos.add(nanos);
  }

  @Override
  public synchronized void preempted(ScheduledRequest<?> request) {
    preemptions++;
  }

  @Override
  public synchronized void generated(ScheduledRequest<?> request, long nanos) {
    generatedTokens++;
    (request.outputTokens() == 1 ? firstTokenNanos : interTokenNanos).add(nanos);
  }

  @Override
  public synchronized void decided(BatchSizeDecision decision) {
    reason = decision.reason();
    if (decision.isChange()) {
      limitChanges++;
      int before = decision.seen().limit();
      changes.add(
          new RequestStats.LimitChange(Instant.now(), before, decision.limit(), decision.reason()));
      if (changes.size() > KEPT_CHANGES) {
        changes.remove();
      }
      LOG.info("batch size from={} to={} reason=\"{}\"", before, decision.limit(), reason);
    }
  }

  @Override
  public synchronized void ended(ScheduledRequest<?> request) {
    EndReason end = request.endReason();
    if (end == null) {
      return;
    }
    if (end == EndReason.FINISHED) {
      latencyNanos.add(request.latencyNanos());
    }
    String name =
        switch (end) {
          case FINISHED -> request.stopped() ? stopped(request) : "length";
          case CANCELLED -> "abort";
          case FAILED -> "error";
          case MOVED, QUEUE_FULL, QUEUE_TIMEOUT, TOO_LONG -> name(end);
        };
    (end.refused() ? refused : finished).merge(name, 1L, Long::sum);
  }

  /** Returns the engine's reason if it is a known one, so that there are few. */
  private static String stopped(ScheduledRequest<?> request) {
    boolean calls =
        request.payload() instanceof ScheduledSequence sequence
            && TOOL_CALLS.equals(sequence.end().finishReason());
    return calls ? TOOL_CALLS : "stop";
  }

  private static String name(EndReason end) {
    return end.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns how many requests do not run, preempted ones included. */
  public synchronized int waiting() {
    return queued + preempted;
  }

  /** Returns the statistics; null if no scheduler uses the engine. */
  synchronized @Nullable RequestStats stats() {
    return used
        ? new RequestStats(
            running,
            queued,
            preempted,
            limit,
            preemptions,
            generatedTokens,
            finished,
            refused,
            queueNanos.copy(),
            firstTokenNanos.copy(),
            interTokenNanos.copy(),
            latencyNanos.copy(),
            reason,
            List.copyOf(changes),
            limitChanges)
        : null;
  }
}

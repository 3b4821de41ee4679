package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.stats.RequestStats;
import java.util.ArrayDeque;
import java.util.Deque;

public final class RequestLatencies {

  private static final int SECONDS = 10;

  final Window queue = new Window();
  final Window firstToken = new Window();
  final Window interToken = new Window();
  final Window latency = new Window();
  private int seconds;

  /** Returns whether a mark is due; must be called once a second. */
  public boolean second() {
    return ++seconds % SECONDS == 0;
  }

  public void mark(RequestStats stats) {
    queue.mark(stats.queueNanos());
    firstToken.mark(stats.firstTokenNanos());
    interToken.mark(stats.interTokenNanos());
    latency.mark(stats.latencyNanos());
  }

  /** Quantiles of the last minute, about: few requests end within a second. Thread-safe. */
  static final class Window {

    /** The number of marks kept, one every ten seconds. */
    private static final int MARKS = 6;

    private final Deque<Histogram> marks = new ArrayDeque<>();

    synchronized void mark(Histogram nanos) {
      marks.add(nanos);
      if (marks.size() > MARKS) {
        marks.remove();
      }
    }

    synchronized RequestsDocument.Latency latency(Histogram nanos) {
      Histogram recent = marks.isEmpty() ? nanos : nanos.since(marks.element());
      return new RequestsDocument.Latency(
          nanos.count(), RecentLatency.seconds(recent, 0.5), RecentLatency.seconds(recent, 0.99));
    }
  }
}

package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.Histogram;
import java.util.ArrayDeque;
import java.util.Deque;

/** Quantiles of the last minute, about: few requests end within a second. Thread-safe. */
final class LatencyWindow {

  /** The number of marks kept, one every ten seconds. */
  private static final int MARKS = 6;

  private final Deque<Histogram> marks = new ArrayDeque<>();

  /** Starts the next ten seconds. */
  synchronized void mark(Histogram nanos) {
    marks.add(nanos);
    if (marks.size() > MARKS) {
      marks.remove();
    }
  }

  synchronized RequestsDocument.Latency latency(Histogram nanos) {
    Histogram recent = marks.isEmpty() ? nanos : nanos.since(marks.element());
    boolean none = recent.count() == 0;
    return new RequestsDocument.Latency(
        nanos.count(),
        none ? null : recent.quantile(0.5) / 1e9,
        none ? null : recent.quantile(0.99) / 1e9);
  }
}

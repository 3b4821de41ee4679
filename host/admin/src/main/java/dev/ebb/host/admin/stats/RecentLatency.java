package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Quantiles of the latest measuring interval. Quantiles since the start would not show the current
 * latency. Thread-safe.
 */
final class RecentLatency {

  private Histogram before = new Histogram();
  private @Nullable Quantiles last;

  /** Quantiles in seconds. */
  record Quantiles(double p50, double p99) {}

  synchronized void step(Histogram nanos) {
    Histogram since = nanos.since(before);
    before = nanos;
    last =
        since.count() == 0
            ? null
            : new Quantiles(since.quantile(0.5) / 1e9, since.quantile(0.99) / 1e9);
  }

  /** Returns the quantiles of the last interval; null without samples. */
  synchronized @Nullable Quantiles last() {
    return last;
  }
}

package dev.ebb.host.admin;

import dev.ebb.host.cache.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long something took lately: quantiles of what came between the last two steps, since those
 * since the start of a process say nothing of now. Thread-safe.
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

  /** Of the last step; null if nothing came in it. */
  synchronized @Nullable Quantiles last() {
    return last;
  }
}

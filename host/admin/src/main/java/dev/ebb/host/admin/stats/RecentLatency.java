package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Quantiles of the latest measuring interval. Quantiles since the start would not show the current
 * latency. Thread-safe.
 */
final class RecentLatency {

  private Histogram before = new Histogram();
  private Histogram last = new Histogram();

  /** Ends an interval. */
  synchronized void step(Histogram nanos) {
    // An engine of other clients counts from zero.
    last = nanos.count() < before.count() ? nanos : nanos.since(before);
    before = nanos;
  }

  synchronized StatsDocument.Took took(Histogram nanos) {
    return new StatsDocument.Took(
        nanos.count(), nanos.sum() / 1e9, seconds(last, 0.5), seconds(last, 0.99));
  }

  /** Returns a quantile in seconds; null without measurements. */
  static @Nullable Double seconds(Histogram nanos, double share) {
    return nanos.count() == 0 ? null : nanos.quantile(share) / 1e9;
  }
}

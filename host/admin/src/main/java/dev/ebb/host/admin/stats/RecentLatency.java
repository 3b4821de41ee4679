package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.Histogram;

/**
 * Quantiles of the latest measuring interval. Quantiles since the start would not show the current
 * latency. Thread-safe.
 */
final class RecentLatency {

  private Histogram before = new Histogram();
  private Histogram last = new Histogram();

  /** Ends an interval. */
  synchronized void step(Histogram nanos) {
    last = nanos.since(before);
    before = nanos;
  }

  synchronized StatsDocument.Took took(Histogram nanos) {
    boolean none = last.count() == 0;
    return new StatsDocument.Took(
        nanos.count(),
        nanos.sum() / 1e9,
        none ? null : last.quantile(0.5) / 1e9,
        none ? null : last.quantile(0.99) / 1e9);
  }
}

package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.CacheStats;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.PolicyThreadStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.spi.RemovalCause;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Metrics of the caches of a process: evictions and the policy. */
public final class CacheMetrics {

  /**
   * Values that were never admitted are not evictions; the component that rejects them counts them.
   */
  private static final Set<RemovalCause> LEFT =
      EnumSet.complementOf(EnumSet.of(RemovalCause.NOT_ADMITTED));

  private final long blockBytes;

  /**
   * Metrics of caches.
   *
   * @param blockBytes the size of a block
   */
  public CacheMetrics(long blockBytes) {
    this.blockBytes = blockBytes;
  }

  /**
   * Writes the metrics.
   *
   * @param sink receives the values
   * @param caches the caches of all partitions
   */
  public void write(MetricSink sink, List<CacheStats> caches) {
    CacheTotals totals = CacheTotals.of(caches);
    evictions(sink, totals);
    policy(sink, totals);
  }

  private void evictions(MetricSink sink, CacheTotals totals) {
    totals
        .evictionsByPolicy()
        .forEach((policy, amounts) ->
            amounts.forEach((account, amount) -> {
              String by = Json.word(account);
              sink.count(Metric.EVICTIONS, amount.entries(), policy, by);
              sink.count(Metric.EVICTED_BYTES, amount.blocks() * blockBytes, policy, by);
            }));
    for (RemovalCause cause : LEFT) {
      CacheStats.Amount amount = totals.removals(cause);
      String word = Json.word(cause);
      sink.count(Metric.REMOVALS, amount.entries(), word);
      sink.count(Metric.REMOVED_BYTES, amount.blocks() * blockBytes, word);
    }
    sink.count(Metric.EVICTION_PASSES, totals.sum(CacheStats::passes));
    sink.count(Metric.EVICTION_REFUSALS, totals.sum(CacheStats::refusals));
    sink.count(Metric.REJECTED, totals.sum(CacheStats::rejected));
    sink.count(Metric.PROTECTED_REFUSALS, totals.sum(CacheStats::protectedRefusals));
    sink.count(Metric.PROTECTED_EVICTIONS, totals.sum(CacheStats::protectedEvictions));
    sink.put(Metric.EVICTION_SECONDS, totals.latencies(CacheStats::passNanos));
    sink.put(Metric.VICTIM_SECONDS, totals.latencies(cache -> cache.thread().victimNanos()));
    sink.put(Metric.LIFETIME_SECONDS, totals.lives());
    sink.count(Metric.MEMORY_WAITS, totals.sum(cache -> cache.thread().waits()));
  }

  private static void policy(MetricSink sink, CacheTotals totals) {
    for (PolicyFault.Kind kind : PolicyFault.Kind.values()) {
      long faults = totals.sum(cache -> cache.faults().getOrDefault(kind, 0L));
      sink.count(Metric.POLICY_FAULTS, faults, Json.word(kind));
    }
    sink.count(Metric.POLICY_EVENTS, totals.threads(PolicyThreadStats::events));
    sink.put(Metric.POLICY_BUSY, totals.threads(PolicyThreadStats::busyNanos) / 1e9);
    sink.count(Metric.POLICY_ABANDONED, totals.threads(PolicyThreadStats::abandoned));
  }
}

package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.spi.RemovalCause;
import java.util.EnumSet;
import java.util.Set;

/** Metrics of the caches of a process: evictions and the policy. */
final class CacheMetrics {

  /**
   * Values that were never admitted are not evictions; the component that rejects them counts them.
   */
  private static final Set<RemovalCause> LEFT =
      EnumSet.complementOf(EnumSet.of(RemovalCause.NOT_ADMITTED));

  private CacheMetrics() {}

  static void write(MetricSink sink, CacheTotals totals) {
    evictions(sink, totals);
    policy(sink, totals);
  }

  private static void evictions(MetricSink sink, CacheTotals totals) {
    totals
        .evictionsByPolicy()
        .forEach((policy, amounts) ->
            amounts.forEach((account, amount) -> {
              String by = Json.word(account);
              sink.count("ebb_evictions_total", amount.entries(), policy, by);
              sink.count("ebb_evicted_bytes_total", amount.bytes(), policy, by);
            }));
    for (RemovalCause cause : LEFT) {
      CacheTotals.Amount amount = totals.removals(cause);
      String word = Json.word(cause);
      sink.count("ebb_removals_total", amount.entries(), word);
      sink.count("ebb_removed_bytes_total", amount.bytes(), word);
    }
    sink.count("ebb_eviction_passes_total", totals.sum(CacheStats::passes));
    sink.count("ebb_eviction_refusals_total", totals.sum(CacheStats::refusals));
    sink.count("ebb_rejected_blocks_total", totals.sum(CacheStats::rejected));
    sink.count("ebb_protected_refusals_total", totals.sum(CacheStats::protectedRefusals));
    sink.count("ebb_protected_evictions_total", totals.sum(CacheStats::protectedEvictions));
    sink.put("ebb_eviction_seconds", totals.latencies(CacheStats::passNanos));
    sink.put("ebb_victim_seconds", totals.latencies(cache -> cache.thread().victimNanos()));
    sink.put("ebb_lifetime_seconds", totals.lives());
    sink.count("ebb_memory_waits_total", totals.sum(cache -> cache.thread().waits()));
  }

  private static void policy(MetricSink sink, CacheTotals totals) {
    for (PolicyFault.Kind kind : PolicyFault.Kind.values()) {
      long faults = totals.sum(cache -> cache.faults().getOrDefault(kind, 0L));
      sink.count("ebb_policy_faults_total", faults, Json.word(kind));
    }
    sink.count("ebb_policy_events_total", totals.threads(PolicyThreadStats::events));
    sink.put("ebb_policy_busy_seconds_total", totals.threads(PolicyThreadStats::busyNanos) / 1e9);
    sink.count("ebb_policy_abandoned_threads_total", totals.threads(PolicyThreadStats::abandoned));
  }
}

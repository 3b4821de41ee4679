package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.spi.RemovalCause;
import java.util.EnumSet;
import java.util.Set;

/** Metrics of the caches of a process: evictions, the policy and the disk tier. */
final class CacheMetrics {

  /**
   * Values that were never admitted are not evictions; the component that rejects them counts them.
   */
  private static final Set<RemovalCause> LEFT =
      EnumSet.complementOf(EnumSet.of(RemovalCause.NOT_ADMITTED));

  private CacheMetrics() {}

  static void write(MetricSink sink, CacheTotals totals) {
    sink.all(totals);
    evictions(sink, totals);
    for (PolicyFault.Kind kind : PolicyFault.Kind.values()) {
      long faults = totals.sum(cache -> cache.faults().getOrDefault(kind, 0L));
      sink.count("ebb_policy_faults_total", faults, Json.word(kind));
    }
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
    sink.put("ebb_lifetime_seconds", totals.lives());
  }

  static void disk(MetricSink sink, DiskTierStats tier) {
    sink.all(tier);
    double used = tier.disk().valueBytes();
    sink.put("ebb_disk_occupancy_ratio", used / tier.disk().capacityBytes());
  }
}

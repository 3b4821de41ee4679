package dev.ebb.host.admin.stats;

import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.http.View;
import org.jspecify.annotations.Nullable;

/**
 * A sample of {@link StatsDocument}, whose fields it has. Counts are since the start; quantiles are
 * those of this step in seconds, null without measurements.
 */
record HistoryPoint(
    String time,
    double uptimeSeconds,
    String policy,
    double occupancy,
    double threshold,
    double target,
    long hits,
    long misses,
    long prefixHits,
    long prefixLookups,
    long commands,
    long notAdmitted,
    long evicted,
    long background,
    long demand,
    long fallback,
    long expired,
    long prematureEvictions,
    @Nullable Double readingP50,
    @Nullable Double readingP99,
    @Nullable Double storingP50,
    @Nullable Double storingP99,
    @Nullable Double evictingP99,
    @Nullable Disk disk,
    @Nullable Cluster cluster)
    implements StatsHistory.Point {

  /**
   * A sample of the disk tier.
   *
   * @param prefixHits prefix hits that memory alone could not serve
   */
  record Disk(
      long hits,
      long prefixHits,
      double occupancy,
      long writtenBytes,
      @Nullable Double readP50,
      @Nullable Double readP99) {

    static @Nullable Disk of(StatsDocument stats) {
      TierDocument tier = stats.tiers().getLast();
      TierDocument.Disk disk = tier.disk();
      return disk == null
          ? null
          : new Disk(
              tier.hits(),
              stats.keys().chains().hitsElsewhere(),
              tier.occupancy(),
              disk.writtenBytes(),
              disk.recentReadP50(),
              disk.recentReadP99());
    }
  }

  /** A sample of {@link ClusterStats}. */
  record Cluster(
      long remoteHits,
      long remoteMisses,
      double replicationLagSeconds,
      long pendingReplications,
      long underReplicated,
      long rackUnsafe) {

    static @Nullable Cluster of(@Nullable ClusterStats stats) {
      return stats == null
          ? null
          : View.of(Cluster.class, stats)
              .with("replicationLagSeconds", stats.replicationLagMillis() / 1e3)
              .get();
    }
  }

  static HistoryPoint of(StatsDocument stats) {
    return View.of(
            HistoryPoint.class,
            stats.server(),
            stats.pool(),
            stats.traffic(),
            stats.evictions(),
            stats.clients())
        .with("policy", stats.policy().name())
        .with("prefixHits", stats.keys().chains().hits())
        .with("prefixLookups", stats.keys().chains().lookups())
        .with("evicted", stats.evictions().entries())
        .with("readingP50", stats.latencies().reading().p50())
        .with("readingP99", stats.latencies().reading().p99())
        .with("storingP50", stats.latencies().storing().p50())
        .with("storingP99", stats.latencies().storing().p99())
        .with("evictingP99", stats.latencies().evicting().p99())
        .with("disk", Disk.of(stats))
        .with("cluster", Cluster.of(stats.cluster()))
        .get();
  }
}

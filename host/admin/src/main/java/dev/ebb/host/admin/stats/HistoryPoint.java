package dev.ebb.host.admin.stats;

import dev.ebb.host.cluster.ClusterStats;
import org.jspecify.annotations.Nullable;

/**
 * A sample of {@link StatsDocument}. Counts are since the start.
 *
 * @param time ISO 8601
 * @param occupancy fraction of the pool in use
 * @param threshold occupancy above which background eviction starts
 * @param notAdmitted values rejected because there was no space
 * @param background background evictions
 * @param fallback evictions that the host chose
 * @param prefixHits chunks that were resident with all chunks before them
 * @param prefixLookups chunks of requests whose lookups were observed
 * @param prematureEvictions evicted entries that were requested again
 * @param readingP50 median read latency of this step in seconds; null without samples
 * @param readingP99 99th percentile read latency
 * @param storingP50 median write latency
 * @param storingP99 99th percentile write latency
 * @param evictingP99 99th percentile latency of eviction runs
 * @param cluster the statistics of the cluster; null without one
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
    @Nullable Cluster cluster) {

  /**
   * A sample of {@link ClusterStats}.
   *
   * @param remoteHits reads that another node, a replica or the read cache answered
   * @param replicationLagSeconds age of the oldest value without a replica for which a node has
   *     room
   */
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
          : new Cluster(
              stats.remoteHits(),
              stats.remoteMisses(),
              stats.replicationLagMillis() / 1e3,
              stats.pendingReplications(),
              stats.underReplicated(),
              stats.rackUnsafe());
    }
  }

  static HistoryPoint of(StatsDocument stats) {
    return new HistoryPoint(
        stats.server().time(),
        stats.server().uptimeSeconds(),
        stats.policy().name(),
        stats.pool().occupancy(),
        stats.pool().threshold(),
        stats.pool().target(),
        stats.traffic().hits(),
        stats.traffic().misses(),
        stats.keys().chains().hits(),
        stats.keys().chains().lookups(),
        stats.clients().commands(),
        stats.traffic().notAdmitted(),
        stats.evictions().entries(),
        stats.evictions().background(),
        stats.evictions().demand(),
        stats.evictions().fallback(),
        stats.traffic().expired(),
        stats.evictions().prematureEvictions(),
        stats.latencies().reading().p50(),
        stats.latencies().reading().p99(),
        stats.latencies().storing().p50(),
        stats.latencies().storing().p99(),
        stats.latencies().evicting().p99(),
        Cluster.of(stats.cluster()));
  }
}

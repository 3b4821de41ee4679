package dev.ebb.host.admin.stats;

import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.NodeMigration;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.MetricSink;
import java.util.List;

/** Metrics of a node of a cluster. */
final class ClusterMetrics {

  private ClusterMetrics() {}

  static void write(MetricSink sink, ClusterView cluster) {
    members(sink, cluster);
    ClusterStats stats = cluster.stats();
    replication(sink, stats);
    states(sink, stats);
    reads(sink, stats);
  }

  private static void members(MetricSink sink, ClusterView cluster) {
    List<Node> nodes = cluster.nodes();
    for (NodeState state : NodeState.values()) {
      long count = nodes.stream().filter(node -> node.state() == state).count();
      sink.count("ebb_cluster_nodes", count, Json.word(state));
    }
    List<NodeMigration> migrations = cluster.migrations();
    for (NodeMigration.State state : NodeMigration.State.values()) {
      long count = migrations.stream().filter(migration -> migration.state() == state).count();
      sink.count("ebb_cluster_migrations", count, Json.word(state));
    }
    sink.count("ebb_cluster_values", cluster.values());
  }

  private static void replication(MetricSink sink, ClusterStats stats) {
    sink.put("ebb_cluster_replication_lag_seconds", stats.replicationLagMillis() / 1e3);
    sink.count("ebb_cluster_pending_replications", stats.pendingReplications());
    sink.count("ebb_cluster_pending_announcements", stats.announcements());
    sink.count("ebb_cluster_under_replicated_values", stats.underReplicated());
    sink.count("ebb_cluster_rack_unsafe_values", stats.rackUnsafe());
    sink.count("ebb_cluster_replicated_values_total", stats.replicatedValues());
    sink.count("ebb_cluster_replicated_bytes_total", stats.replicatedBytes());
    sink.count("ebb_cluster_failed_replications_total", stats.failedReplications());
    sink.count("ebb_cluster_promotions_total", stats.promotions());
    sink.count("ebb_cluster_moved_values_total", stats.movedValues());
    sink.count("ebb_cluster_moved_bytes_total", stats.movedBytes());
    sink.count("ebb_cluster_not_moved_values_total", stats.notMovedValues());
  }

  private static void states(MetricSink sink, ClusterStats stats) {
    for (ValueState state : ValueState.values()) {
      sink.count("ebb_cluster_value_states", stats.states().of(state), Json.word(state));
    }
    sink.count("ebb_cluster_removed_entries_total", stats.removedEntries());
  }

  private static void reads(MetricSink sink, ClusterStats stats) {
    sink.count("ebb_cluster_remote_hits_total", stats.remoteHits());
    sink.count("ebb_cluster_remote_misses_total", stats.remoteMisses());
    sink.count("ebb_cluster_fetches_total", stats.fetches());
    sink.count("ebb_cluster_shared_fetches_total", stats.sharedFetches());
    sink.count("ebb_cluster_failed_fetches_total", stats.failedFetches());
    sink.count("ebb_cluster_fetched_bytes_total", stats.fetchedBytes());
    sink.put("ebb_cluster_fetch_seconds_total", stats.fetches() * stats.fetchMicrosMean() / 1e6);
    sink.count("ebb_cluster_read_cache_used_bytes", stats.readCacheUsedBytes());
    sink.count("ebb_cluster_read_cache_capacity_bytes", stats.readCacheCapacityBytes());
  }
}

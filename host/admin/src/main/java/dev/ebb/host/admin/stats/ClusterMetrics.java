package dev.ebb.host.admin.stats;

import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.NodeMigration;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.Metric;
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
      sink.count(Metric.CLUSTER_NODES, count, Json.word(state));
    }
    List<NodeMigration> migrations = cluster.migrations();
    for (NodeMigration.State state : NodeMigration.State.values()) {
      long count = migrations.stream().filter(migration -> migration.state() == state).count();
      sink.count(Metric.CLUSTER_MIGRATIONS, count, Json.word(state));
    }
    sink.count(Metric.CLUSTER_VALUES, cluster.values());
  }

  private static void replication(MetricSink sink, ClusterStats stats) {
    sink.put(Metric.CLUSTER_REPLICATION_LAG, stats.replicationLagMillis() / 1e3);
    sink.count(Metric.CLUSTER_PENDING, stats.pendingReplications());
    sink.count(Metric.CLUSTER_ANNOUNCEMENTS, stats.announcements());
    sink.count(Metric.CLUSTER_UNDER_REPLICATED, stats.underReplicated());
    sink.count(Metric.CLUSTER_RACK_UNSAFE, stats.rackUnsafe());
    sink.count(Metric.CLUSTER_REPLICATED, stats.replicatedValues());
    sink.count(Metric.CLUSTER_REPLICATED_BYTES, stats.replicatedBytes());
    sink.count(Metric.CLUSTER_FAILED_REPLICATIONS, stats.failedReplications());
    sink.count(Metric.CLUSTER_PROMOTIONS, stats.promotions());
    sink.count(Metric.CLUSTER_MOVED, stats.movedValues());
    sink.count(Metric.CLUSTER_MOVED_BYTES, stats.movedBytes());
    sink.count(Metric.CLUSTER_NOT_MOVED, stats.notMovedValues());
  }

  private static void states(MetricSink sink, ClusterStats stats) {
    for (ValueState state : ValueState.values()) {
      sink.count(
          Metric.CLUSTER_VALUE_STATES, stats.states().of(state), Json.word(state));
    }
    sink.count(Metric.CLUSTER_REMOVED_ENTRIES, stats.removedEntries());
  }

  private static void reads(MetricSink sink, ClusterStats stats) {
    sink.count(Metric.CLUSTER_REMOTE_HITS, stats.remoteHits());
    sink.count(Metric.CLUSTER_REMOTE_MISSES, stats.remoteMisses());
    sink.count(Metric.CLUSTER_FETCHES, stats.fetches());
    sink.count(Metric.CLUSTER_SHARED_FETCHES, stats.sharedFetches());
    sink.count(Metric.CLUSTER_FAILED_FETCHES, stats.failedFetches());
    sink.count(Metric.CLUSTER_FETCHED_BYTES, stats.fetchedBytes());
    sink.put(Metric.CLUSTER_FETCH_SECONDS, stats.fetches() * stats.fetchMicrosMean() / 1e6);
    sink.count(Metric.CLUSTER_READ_CACHE_USED, stats.readCacheUsedBytes());
    sink.count(Metric.CLUSTER_READ_CACHE_CAPACITY, stats.readCacheCapacityBytes());
  }
}

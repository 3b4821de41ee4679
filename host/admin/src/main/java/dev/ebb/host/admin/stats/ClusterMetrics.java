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

final class ClusterMetrics {

  private ClusterMetrics() {}

  static void write(MetricSink sink, ClusterView cluster) {
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
    ClusterStats stats = cluster.stats();
    sink.all(stats);
    for (ValueState state : ValueState.values()) {
      sink.count("ebb_cluster_value_states", stats.states().of(state), Json.word(state));
    }
    sink.put("ebb_cluster_fetch_seconds_total", stats.fetches() * stats.fetchMicrosMean() / 1e6);
  }
}

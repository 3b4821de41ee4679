package dev.ebb.host.admin.cluster;

import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.http.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster, as one of its nodes sees it.
 *
 * @param values how many values the directory has, about
 */
public record ClusterDocument(
    String name, Member self, int nodes, long values, ClusterStats stats) {

  static ClusterDocument of(ClusterView cluster) {
    return new ClusterDocument(
        cluster.name(),
        Member.of(cluster.self(), cluster),
        cluster.nodes().size(),
        cluster.values(),
        cluster.stats());
  }

  /** The live nodes, sorted by name. */
  public record Members(List<Member> nodes) {

    static Members of(ClusterView cluster) {
      return new Members(cluster.nodes().stream().map(node -> Member.of(node, cluster)).toList());
    }
  }

  /**
   * A node.
   *
   * @param self whether it is the node that answers
   * @param state {@code active}, {@code draining} or {@code drained}
   * @param address where other nodes connect for values, {@code host:port}
   * @param resp where its clients connect, {@code host:port}
   * @param admin where its operators connect, {@code host:port}; null without an admin server
   * @param values how many values it has, with replicas
   * @param settings those that must be equal on all nodes
   */
  public record Member(
      String name,
      boolean self,
      String state,
      String zone,
      String rack,
      String address,
      String resp,
      @Nullable String admin,
      long capacityBytes,
      long usedBytes,
      long replicaCapacityBytes,
      long replicaUsedBytes,
      double commandsPerSecond,
      long values,
      String settings) {

    static Member of(Node node, ClusterView cluster) {
      String host = node.host().indexOf(':') < 0 ? node.host() : "[" + node.host() + "]";
      return View.of(Member.class, node)
          .with("self", node.id() == cluster.self().id())
          .with("address", host + ":" + node.transferPort())
          .with("admin", node.admin().isEmpty() ? null : node.admin())
          .get();
    }
  }
}

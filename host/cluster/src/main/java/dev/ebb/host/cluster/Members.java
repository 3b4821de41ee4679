package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.ReplicaPlacement;
import dev.ebb.host.cluster.placement.Topology;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The live nodes, as the last look at the membership found them. */
final class Members {

  private final Membership membership;
  private volatile Snapshot snapshot;

  private record Snapshot(Topology topology, ReplicaPlacement placement) {

    static Snapshot of(List<Node> nodes) {
      Topology topology = Topology.of(nodes);
      return new Snapshot(topology, new ReplicaPlacement(topology));
    }
  }

  Members(Membership membership) {
    this.membership = membership;
    snapshot = Snapshot.of(membership.nodes());
  }

  void refresh() {
    snapshot = Snapshot.of(membership.nodes());
  }

  Node self() {
    return membership.self();
  }

  Topology topology() {
    return snapshot.topology;
  }

  ReplicaPlacement placement() {
    return snapshot.placement;
  }

  List<Node> others() {
    int self = self().id();
    return topology().nodes().stream().filter(node -> node.id() != self).toList();
  }

  Set<Integer> otherIds() {
    return others().stream().map(Node::id).collect(Collectors.toUnmodifiableSet());
  }

  boolean hasLive(DirectoryEntry entry) {
    int self = self().id();
    return entry.holders().stream()
        .anyMatch(holder -> holder.node() != self && topology().live(holder.node()));
  }

  /** Returns the other live nodes with a copy, the nearest first. */
  List<Node> nearest(ValueId id, DirectoryEntry entry) {
    int self = self().id();
    return topology().nearest(id, entry.holders(), self).stream()
        .filter(node -> node.id() != self)
        .toList();
  }
}

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

/** The live nodes, as the last look at the membership found them, and what this node says now. */
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
    refresh();
  }

  /** Looks again. The membership lists what this node has just published with a delay. */
  synchronized void refresh() {
    Node self = self();
    snapshot =
        Snapshot.of(
            membership.nodes().stream().map(node -> node.id() == self.id() ? self : node).toList());
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

  /** Returns whether this node keeps its copies. */
  boolean isActive() {
    return topology().active(self().id());
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

package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;

/** Nodes with the properties that placement reads. */
final class TestNodes {

  private TestNodes() {}

  static Node node(String name, String rack, String zone) {
    return node(name, rack, zone, NodeState.ACTIVE, 1_000, 0);
  }

  static Node node(
      String name, String rack, String zone, NodeState state, long capacity, long used) {
    int id = Node.idOf(name);
    return new Node(name, id, rack, zone, "", 0, "", "", state, 0, 0, capacity, used, 0, 0, 0, "");
  }
}

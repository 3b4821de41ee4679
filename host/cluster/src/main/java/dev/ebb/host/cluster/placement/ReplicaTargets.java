package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Node;
import java.util.List;

/**
 * Nodes for further copies of a value.
 *
 * @param nodes as many as wanted, or fewer if no others have room; the best first
 * @param rackSafe whether all copies, the existing ones and these, are on different racks
 */
public record ReplicaTargets(List<Node> nodes, boolean rackSafe) {

  public ReplicaTargets {
    nodes = List.copyOf(nodes);
  }
}

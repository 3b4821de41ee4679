package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Chooses the nodes for further copies of a value. Nodes that see the same topology choose the
 * same.
 *
 * <p>A copy goes to a rack without one, in a zone without one if there is such a rack. Only if no
 * other rack has room it goes to a rack that has a copy. Among equal nodes the choice is weighted
 * rendezvous hashing by replica capacity: each node gets its share of all values, and a node that
 * joins or leaves changes the choice for its share only. Nodes that drain, have no room or hold the
 * value already get none. Replicas that may evict others go to full nodes last.
 */
public final class ReplicaPlacement {

  private static final int FULL = 16;

  private final Topology topology;

  /** The nodes that take replicas, as columns: a choice reads all of them. */
  private final int[] positions;

  private final long[] hashes;
  private final long[] capacities;
  private final long[] free;

  public ReplicaPlacement(Topology topology) {
    this.topology = topology;
    List<Node> nodes = topology.nodes();
    int[] taking = new int[nodes.size()];
    int count = 0;
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      if (node.state() == NodeState.ACTIVE && node.replicaCapacityBytes() > 0) {
        taking[count++] = i;
      }
    }
    positions = new int[count];
    hashes = new long[count];
    capacities = new long[count];
    free = new long[count];
    for (int i = 0; i < count; i++) {
      Node node = nodes.get(taking[i]);
      positions[i] = taking[i];
      hashes[i] = topology.hash(taking[i]);
      capacities[i] = node.replicaCapacityBytes();
      free[i] = node.replicaCapacityBytes() - node.replicaUsedBytes();
    }
  }

  public Topology topology() {
    return topology;
  }

  /**
   * Chooses nodes.
   *
   * @param id chooses among equal nodes: those of values that belong together are equal
   * @param bytes the size of the value
   * @param holders the nodes with a copy; copies on nodes that drain are about to go, so that other
   *     copies may be on their racks
   * @param copies how many further copies are wanted
   * @param evicting whether they may evict others: then any node has room that is large enough
   * @return as many nodes, or fewer if no others have room; the best first
   */
  public List<Node> choose(
      ValueId id, long bytes, List<Holder> holders, int copies, boolean evicting) {
    BitSet holding = new BitSet();
    BitSet racks = new BitSet();
    BitSet zones = new BitSet();
    for (Holder holder : holders) {
      int position = topology.position(holder.node());
      if (position >= 0) {
        holding.set(position);
        if (topology.active(holder.node())) {
          racks.set(topology.rack(position));
          zones.set(topology.zone(position));
        }
      }
    }
    List<Node> chosen = new ArrayList<>(copies);
    while (chosen.size() < copies) {
      int position = best(id, bytes, evicting, holding, racks, zones);
      if (position < 0) {
        break;
      }
      chosen.add(topology.nodes().get(position));
      holding.set(position);
      racks.set(topology.rack(position));
      zones.set(topology.zone(position));
    }
    return chosen;
  }

  private int best(
      ValueId id, long bytes, boolean evicting, BitSet holding, BitSet racks, BitSet zones) {
    int best = -1;
    int bestTier = Integer.MAX_VALUE;
    double bestCost = Double.POSITIVE_INFINITY;
    for (int i = 0; i < positions.length; i++) {
      int position = positions[i];
      long room = evicting ? capacities[i] : free[i];
      if (room < bytes || holding.get(position)) {
        continue;
      }
      int tier =
          racks.get(topology.rack(position)) ? 4 : zones.get(topology.zone(position)) ? 2 : 0;
      tier += evicting && isFull(i, bytes) ? 1 : 0;
      if (tier > bestTier) {
        continue;
      }
      // Uniform in (0, 1]. The cost is exponentially distributed with the capacity as its rate.
      double uniform = ((Topology.mix(id.high() ^ hashes[i]) >>> 11) + 1) * 0x1.0p-53;
      if (tier == bestTier && 1 - uniform >= bestCost * capacities[i]) {
        continue; // -log(u) is at least 1 - u, so that most logarithms need not be computed.
      }
      // Strict: the same on every machine.
      double cost = -StrictMath.log(uniform) / capacities[i];
      if (tier < bestTier || cost < bestCost) {
        best = position;
        bestTier = tier;
        bestCost = cost;
      }
    }
    return best;
  }

  /**
   * A share of the capacity counts as full: what nodes have just evicted says nothing, and all
   * values would go to that one until it says that it is full again.
   */
  private boolean isFull(int node, long bytes) {
    return free[node] - bytes < capacities[node] / FULL;
  }
}

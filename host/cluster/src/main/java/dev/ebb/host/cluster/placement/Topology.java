package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live nodes at one moment. Immutable. Two topologies of the same nodes are equal in all they
 * compute, on any node.
 */
public final class Topology {

  /** Network distance between two nodes, in increasing order. */
  public enum Distance {
    SAME_NODE,
    SAME_RACK,
    SAME_ZONE,
    OTHER_ZONE
  }

  private final List<Node> nodes;
  private final Map<Integer, Integer> positions;
  private final long[] hashes;
  private final int[] racks;
  private final int[] zones;
  private final int activeNodes;

  private Topology(List<Node> nodes) {
    this.nodes = nodes;
    positions = HashMap.newHashMap(nodes.size());
    hashes = new long[nodes.size()];
    racks = new int[nodes.size()];
    zones = new int[nodes.size()];
    activeNodes = (int) nodes.stream().filter(node -> node.state() == NodeState.ACTIVE).count();
    Map<List<String>, Integer> rackNumbers = new HashMap<>();
    Map<String, Integer> zoneNumbers = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      if (positions.put(node.id(), i) != null) {
        throw new IllegalArgumentException("two nodes have the id '%08x'".formatted(node.id()));
      }
      // By name, so that a node that restarts gets its share again.
      hashes[i] = ValueId.of(node.name().getBytes(StandardCharsets.UTF_8)).high();
      zones[i] = zoneNumbers.computeIfAbsent(node.zone(), zone -> zoneNumbers.size());
      racks[i] =
          rackNumbers.computeIfAbsent(
              List.of(node.zone(), node.rack()), rack -> rackNumbers.size());
    }
  }

  public static Topology of(Collection<Node> nodes) {
    return new Topology(nodes.stream().sorted(Comparator.comparing(Node::name)).toList());
  }

  public List<Node> nodes() {
    return nodes;
  }

  public @Nullable Node node(int id) {
    Integer position = positions.get(id);
    return position == null ? null : nodes.get(position);
  }

  public boolean live(int id) {
    return positions.containsKey(id);
  }

  /** Returns whether a node is live and keeps its copies: it neither drains nor is drained. */
  public boolean active(int id) {
    Node node = node(id);
    return node != null && node.state() == NodeState.ACTIVE;
  }

  int activeNodes() {
    return activeNodes;
  }

  /**
   * Returns how far apart two nodes are; {@link Distance#OTHER_ZONE} if one of them is not live.
   */
  public Distance distance(int a, int b) {
    if (a == b) {
      return Distance.SAME_NODE;
    }
    Integer first = positions.get(a);
    Integer second = positions.get(b);
    if (first == null || second == null) {
      return Distance.OTHER_ZONE;
    }
    if (racks[first] == racks[second]) {
      return Distance.SAME_RACK;
    }
    return zones[first] == zones[second] ? Distance.SAME_ZONE : Distance.OTHER_ZONE;
  }

  /**
   * Orders the live nodes among a value's holders for reads, the nearest first. Among equally
   * distant ones the order depends on the value and the reader, so that all of them are read.
   */
  public List<Node> nearest(ValueId id, List<Holder> holders, int reader) {
    record Candidate(Node node, Distance distance, long tie) {}
    long seed = mix(id.low() ^ Integer.toUnsignedLong(reader) * 0x9E3779B97F4A7C15L);
    List<Candidate> live = new ArrayList<>(holders.size());
    for (Holder holder : holders) {
      Integer position = positions.get(holder.node());
      if (position != null) {
        live.add(
            new Candidate(
                nodes.get(position),
                distance(holder.node(), reader),
                mix(seed ^ hashes[position])));
      }
    }
    live.sort(Comparator.comparing(Candidate::distance).thenComparingLong(Candidate::tie));
    return live.stream().map(Candidate::node).toList();
  }

  /** Returns on how many different racks some live nodes are. */
  public int racks(Collection<Integer> ids) {
    return (int) ids.stream().map(positions::get).mapToInt(at -> racks[at]).distinct().count();
  }

  int position(int id) {
    return positions.getOrDefault(id, -1);
  }

  int rack(int position) {
    return racks[position];
  }

  int zone(int position) {
    return zones[position];
  }

  long hash(int position) {
    return hashes[position];
  }

  static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}

package dev.ebb.host.cluster.placement;

import static dev.ebb.host.cluster.placement.TestNodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicaPlacementTest {

  private static final int VALUES = 20_000;

  private final Random random = new Random(7);

  @Test
  void prefersAnotherZoneThenAnotherRackThenAnotherNode() {
    Node holder = node("a1", "a", "east");
    Node sameRack = node("a2", "a", "east");
    Node sameZone = node("b1", "b", "east");
    Node otherZone = node("c1", "c", "west");

    List<Node> targets = choose(List.of(sameRack, otherZone, holder, sameZone), 1, holder, 5);

    assertThat(targets).containsExactly(otherZone, sameZone, sameRack);
  }

  @Test
  void usesARackWithACopyOnlyIfNoOtherHasRoom() {
    Node holder = node("a1", "a", "east");
    Node sameRack = node("a2", "a", "east");
    Node full = node("b1", "b", "east", NodeState.ACTIVE, 1_000, 995);

    assertThat(choose(List.of(holder, sameRack, full), 5, holder, 1)).containsExactly(full);
    List<Node> targets = choose(List.of(holder, sameRack, full), 6, holder, 1);
    assertThat(targets).containsExactly(sameRack);
  }

  @Test
  void theRackOfACopyThatIsAboutToGoIsAsGoodAsOneWithout() {
    Node primary = node("b1", "b", "east");
    Node sameRack = node("b2", "b", "east");
    Node draining = node("a1", "a", "east", NodeState.DRAINING, 1_000, 0);
    Node besideIt = node("a2", "a", "east");
    List<Holder> holders =
        List.of(new Holder(primary.id(), false), new Holder(draining.id(), true));
    ReplicaPlacement placement = placement(List.of(primary, sameRack, draining, besideIt));

    for (int i = 0; i < 20; i++) {
      assertThat(placement.choose(id(), 1, holders, 1, false)).containsExactly(besideIt);
    }
  }

  @Test
  void aReplicaThatMayEvictOthersNeedsOnlyMemory() {
    Node holder = node("a1", "a", "east");
    Node sameRack = node("a2", "a", "east");
    Node full = node("b1", "b", "east", NodeState.ACTIVE, 1_000, 1_000);
    Node small = node("c1", "c", "west", NodeState.ACTIVE, 5, 0);
    List<Holder> holders = List.of(new Holder(holder.id(), false));

    assertThat(placement(List.of(holder, sameRack, full, small)).choose(id(), 6, holders, 3, true))
        .containsExactly(full, sameRack);
  }

  @Test
  void aReplicaThatMayEvictOthersGoesWhereItNeedNot() {
    Node holder = node("a1", "a", "east");
    Node full = node("b1", "b", "east", NodeState.ACTIVE, 1_000, 1_000);
    Node almostFull = node("c1", "c", "east", NodeState.ACTIVE, 1_000, 960);
    Node joined = node("d1", "d", "east", NodeState.ACTIVE, 1_000, 500);
    List<Holder> holders = List.of(new Holder(holder.id(), false));
    ReplicaPlacement placement = placement(List.of(holder, full, almostFull, joined));

    Set<Node> next = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      List<Node> chosen = placement.choose(id(), 1, holders, 2, true);
      assertThat(chosen.getFirst()).isEqualTo(joined);
      next.add(chosen.getLast());
    }
    assertThat(next).containsExactlyInAnyOrder(full, almostFull);
  }

  @Test
  void choosesNoNodeThatDrainsOrTakesNoReplicas() {
    Node holder = node("a1", "a", "east");
    Node draining = node("b1", "b", "east", NodeState.DRAINING, 1_000, 0);
    Node drained = node("c1", "c", "east", NodeState.DRAINED, 1_000, 0);
    Node without = node("d1", "d", "east", NodeState.ACTIVE, 0, 0);

    assertThat(choose(List.of(holder, draining, drained, without), 0, holder, 1)).isEmpty();
  }

  @Test
  void ignoresTheRacksOfCopiesThatGo() {
    Node draining = node("a1", "a", "east", NodeState.DRAINING, 1_000, 0);
    Node sameRack = node("a2", "a", "east");

    List<Node> targets = choose(List.of(draining, sameRack), 1, draining, 1);

    assertThat(targets).containsExactly(sameRack);
  }

  @Test
  void doesNotDependOnTheOrderOfNodes() {
    List<Node> nodes = racks(10, 10);
    ReplicaPlacement placement = placement(nodes);
    List<Node> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, random);
    ReplicaPlacement other = placement(shuffled);
    for (int i = 0; i < 1_000; i++) {
      ValueId id = id();
      List<Holder> holders = List.of(new Holder(nodes.get(i % 100).id(), false));
      assertThat(placement.choose(id, 1, holders, 3, false))
          .isEqualTo(other.choose(id, 1, holders, 3, false));
    }
  }

  @Test
  void sharesByCapacity() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      nodes.add(node("n" + i, "r" + i, "z", NodeState.ACTIVE, 100L * (1 + i % 4), 0));
    }
    Map<Node, Integer> shares = new HashMap<>();
    ReplicaPlacement placement = placement(nodes);
    for (int i = 0; i < VALUES; i++) {
      shares.merge(placement.choose(id(), 1, List.of(), 1, false).getFirst(), 1, Integer::sum);
    }
    double sum = nodes.stream().mapToLong(Node::replicaCapacityBytes).sum();
    for (Node node : nodes) {
      double expected = VALUES * node.replicaCapacityBytes() / sum;
      assertThat((double) shares.getOrDefault(node, 0)).isBetween(expected * 0.85, expected * 1.15);
    }
  }

  @Test
  void aNodeThatJoinsOrIsLostChangesItsShareOnly() {
    List<Node> nodes = racks(20, 5);
    ReplicaPlacement all = placement(nodes);
    Node lost = nodes.get(42);
    ReplicaPlacement without =
        placement(nodes.stream().filter(node -> !node.equals(lost)).toList());
    int moved = 0;
    for (int i = 0; i < VALUES; i++) {
      ValueId id = id();
      Node before = all.choose(id, 1, List.of(), 1, false).getFirst();
      Node after = without.choose(id, 1, List.of(), 1, false).getFirst();
      if (before.equals(lost)) {
        moved++;
      } else {
        assertThat(after).isEqualTo(before);
      }
    }
    assertThat(moved).isBetween(VALUES / 140, VALUES / 70);
  }

  @Test
  void aRestartedNodeGetsItsShareAgain() {
    List<Node> nodes = racks(5, 2);
    Node old = nodes.get(3);
    Node restarted =
        new Node(
            old.name(),
            1,
            old.rack(),
            old.zone(),
            "",
            0,
            "",
            "",
            old.state(),
            0,
            0,
            1_000,
            0,
            0,
            0,
            0,
            "");
    List<Node> after = new ArrayList<>(nodes);
    after.set(3, restarted);
    for (int i = 0; i < 1_000; i++) {
      ValueId id = id();
      Node before = placement(nodes).choose(id, 1, List.of(), 1, false).getFirst();
      Node now = placement(after).choose(id, 1, List.of(), 1, false).getFirst();
      assertThat(now.name()).isEqualTo(before.name());
    }
  }

  private static List<Node> racks(int racks, int nodes) {
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < racks * nodes; i++) {
      all.add(node("n" + i, "r" + i % racks, "z" + i % racks % 2));
    }
    return all;
  }

  private List<Node> choose(List<Node> nodes, long bytes, Node holder, int copies) {
    return placement(nodes)
        .choose(id(), bytes, List.of(new Holder(holder.id(), false)), copies, false);
  }

  private static ReplicaPlacement placement(List<Node> nodes) {
    return new ReplicaPlacement(Topology.of(nodes));
  }

  private ValueId id() {
    return new ValueId(random.nextLong(), random.nextLong());
  }
}

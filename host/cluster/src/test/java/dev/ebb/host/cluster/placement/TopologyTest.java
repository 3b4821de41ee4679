package dev.ebb.host.cluster.placement;

import static dev.ebb.host.cluster.placement.TestNodes.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.Topology.Distance;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TopologyTest {

  private final Node a1 = node("a1", "a", "east");
  private final Node a2 = node("a2", "a", "east");
  private final Node b1 = node("b1", "b", "east");
  private final Node c1 = node("c1", "c", "west");
  private final Node c2 = node("c2", "c", "west");
  private final Topology topology = Topology.of(List.of(c2, b1, a2, c1, a1));

  @Test
  void measuresDistances() {
    assertThat(topology.distance(a1.id(), a1.id())).isEqualTo(Distance.SAME_NODE);
    assertThat(topology.distance(a1.id(), a2.id())).isEqualTo(Distance.SAME_RACK);
    assertThat(topology.distance(a1.id(), b1.id())).isEqualTo(Distance.SAME_ZONE);
    assertThat(topology.distance(a1.id(), c1.id())).isEqualTo(Distance.OTHER_ZONE);
    assertThat(topology.distance(a1.id(), 1)).isEqualTo(Distance.OTHER_ZONE);
  }

  @Test
  void racksOfTheSameNameInTwoZonesAreTwoRacks() {
    Node east = node("e", "r1", "east");
    Node west = node("w", "r1", "west");
    Topology two = Topology.of(List.of(east, west));

    assertThat(two.distance(east.id(), west.id())).isEqualTo(Distance.OTHER_ZONE);
    assertThat(two.racks(List.of(east.id(), west.id()))).isEqualTo(2);
  }

  @Test
  void readsTheNearestLiveHolderFirst() {
    List<Holder> holders =
        List.of(
            new Holder(c1.id(), false),
            new Holder(1, true),
            new Holder(b1.id(), true),
            new Holder(a1.id(), true),
            new Holder(a2.id(), true));

    assertThat(topology.nearest(new ValueId(1, 2), holders, a1.id()))
        .containsExactly(a1, a2, b1, c1);
  }

  @Test
  void spreadsReadsOverEquallyDistantHolders() {
    List<Holder> holders = List.of(new Holder(c1.id(), false), new Holder(c2.id(), true));
    Random random = new Random(1);
    int first = 0;
    Set<Node> byReader = new HashSet<>();
    ValueId one = new ValueId(random.nextLong(), random.nextLong());
    for (int i = 0; i < 1_000; i++) {
      ValueId id = new ValueId(random.nextLong(), random.nextLong());
      first += topology.nearest(id, holders, a1.id()).getFirst().equals(c1) ? 1 : 0;
      byReader.add(topology.nearest(one, holders, random.nextInt()).getFirst());
    }

    assertThat(first).isBetween(400, 600);
    assertThat(byReader).containsExactlyInAnyOrder(c1, c2);
  }

  @Test
  void refusesTwoNodesWithOneId() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Topology.of(List.of(a1, node("a1", "b", "west"))))
        .withMessageContaining("%08x".formatted(a1.id()));
  }
}

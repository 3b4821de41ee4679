package dev.ebb.spi;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpareNodesTest {

  private static final class Node extends NodeList.Node<Node> {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void handsOutWhatWasGivenNewestFirstUpToItsCapacity(long seed) {
    Random random = new Random(seed);
    SpareNodes<Node> spares = new SpareNodes<>();
    ArrayDeque<Node> naive = new ArrayDeque<>();
    NodeList<Node> inUse = new NodeList<>();
    Set<Node> seen = new HashSet<>();
    for (int step = 0; step < 20_000; step++) {
      // Long stretches of giving and of taking, so that both ends are reached.
      boolean taking = random.nextInt(10) < (step / 4_000 % 2 == 0 ? 8 : 2);
      if (taking) {
        Node spare = spares.take();
        assertThat(spare).isSameAs(naive.poll());
        Node node = spare == null ? new Node() : spare;
        seen.add(node);
        inUse.addHot(node);
      } else if (!inUse.isEmpty()) {
        Node node = requireNonNull(inUse.cold());
        inUse.remove(node);
        spares.give(node);
        if (naive.size() < SpareNodes.CAPACITY) {
          naive.push(node);
        }
      }
      assertThat(spares.size()).isEqualTo(naive.size());
    }
    assertThat(seen).hasSizeGreaterThan(SpareNodes.CAPACITY);
  }

  @Test
  void aNodeThatIsInAListIsNotTaken() {
    NodeList<Node> list = new NodeList<>();
    Node node = new Node();
    list.addHot(node);

    assertThatThrownBy(() -> new SpareNodes<Node>().give(node))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("in a list");
  }
}

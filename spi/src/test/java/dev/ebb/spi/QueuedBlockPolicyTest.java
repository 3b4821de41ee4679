package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.NaiveRankedPolicy;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueuedBlockPolicyTest {

  /** Segmented LRU: a used entry moves to the second queue. */
  private static final class Segmented extends QueuedBlockPolicy<Segmented.Node> {
    private final EntryQueue<Node> once = new EntryQueue<>("once");
    private final EntryQueue<Node> again = new EntryQueue<>("again");
    private final List<Entry> evicted = new ArrayList<>();
    private final boolean onlyOnce;

    private Segmented(boolean onlyOnce) {
      super(10, Node::new);
      this.onlyOnce = onlyOnce;
    }

    static final class Node extends EntryQueue.Node<Node> {}

    @Override
    protected void insert(Node node) {
      once.moveToHot(node);
    }

    @Override
    public void accessed(Node node) {
      (onlyOnce ? once : again).moveToHot(node);
    }

    @Override
    protected @Nullable Node choose(Demand demand) {
      Node node = once.coldest();
      return node == null ? again.coldest() : node;
    }

    @Override
    protected void evicted(Node node) {
      evicted.add(node.entry());
    }
  }

  private final Segmented policy = new Segmented(false);

  private Segmented.Node insert(int id) {
    return policy.inserted(new SimEntry(id));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void oneQueueInOrderOfUseIsLru(long seed) {
    NaiveRankedPolicy.assertEvictsBy(
        Comparator.comparingLong(Entry::lastAccessTick), new Segmented(true), seed);
  }

  @Test
  void aNodeThatIsSetAsideCountsButIsNotOffered() {
    Segmented.Node first = insert(1);
    Segmented.Node second = insert(2);

    policy.refused(first);

    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(second.entry());
    assertThat(policy.once.size()).isEqualTo(2);
    assertThat(policy.setAsideCount()).isEqualTo(1);
    assertThat(policy.explain(first)).contains("set aside");
    assertThat(policy.explain(second)).isEmpty();
  }

  @Test
  void aReleasedNodeIsOfferedFirstUnlessItWasUsed() {
    Segmented.Node first = insert(1);
    Segmented.Node second = insert(2);
    policy.refused(first);
    policy.released(first);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(first.entry());

    policy.refused(first);
    policy.accessed(first);
    assertThat(policy.once.size()).isEqualTo(1);
    policy.refused(second);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isNull();
    policy.released(first);
    policy.accessed(first);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(first.entry());
    assertThat(first.queue()).isSameAs(policy.again);
  }

  @Test
  void removedNodesAreReusedAndReportedOnlyIfEvicted() {
    Segmented.Node first = insert(1);
    Entry entry = first.entry();
    policy.refused(first);
    policy.removed(first, RemovalCause.DELETED);
    assertThat(policy.evicted).isEmpty();
    assertThat(policy.setAsideCount()).isZero();
    assertThat(policy.once.size()).isZero();

    Segmented.Node second = insert(2);
    assertThat(second).isSameAs(first);
    assertThat(second.isSetAside()).isFalse();
    assertThat(second.entry()).isNotSameAs(entry);
    Entry reused = second.entry();
    policy.removed(second, RemovalCause.EVICTED);
    assertThat(policy.evicted).containsExactly(reused);
    assertThat(policy.size()).isZero();
  }

  @Test
  void theCapacityInEntriesIsThatOfTheirMeanSize() {
    assertThat(policy.capacity()).isEqualTo(10);
    SimEntry large = new SimEntry(1);
    large.blocks = 4;
    policy.inserted(large);
    assertThat(policy.capacity()).isEqualTo(3);
    policy.resized(40);
    assertThat(policy.capacity()).isEqualTo(10);
    assertThat(policy.ghostCapacity(0.5)).isEqualTo(26);
  }
}

package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.spi.sim.NaiveRankedPolicy;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import java.util.Comparator;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankedBlockPolicyTest {

  private static final class Ranked extends RankedBlockPolicy {
    private final ToDoubleFunction<Entry> rank;

    private Ranked(ToDoubleFunction<Entry> rank) {
      this.rank = rank;
    }

    @Override
    protected double rank(Entry entry) {
      return rank.applyAsDouble(entry);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void evictsTheLowestRankAndAmongEqualsTheOldest(long seed) {
    NaiveRankedPolicy.assertEvictsBy(
        Comparator.comparingInt(Entry::accesses).thenComparingLong(Entry::lastAccessTick),
        new Ranked(Entry::accesses),
        seed);
  }

  /** LFU with dynamic ageing: the rank of the last victim is the age of later uses. */
  private static final class Ageing extends RankedBlockPolicy {
    private double age;

    @Override
    protected double rank(Entry entry) {
      return age + entry.accesses();
    }

    @Override
    protected void evicted(Entry entry, double rank) {
      age = Math.max(age, rank);
    }
  }

  @Test
  void anEvictionAgesWhatWasUsedBefore() {
    Ageing policy = new Ageing();
    SimEntry popular = new SimEntry(1);
    popular.accesses = 5;
    policy.inserted(popular);
    for (int id = 2; id < 7; id++) {
      SimEntry once = new SimEntry(id);
      once.accesses = 1;
      RankedBlockPolicy.Ranked node = policy.inserted(once);
      assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(id == 6 ? popular : once);
      policy.removed(node, RemovalCause.EVICTED);
    }
  }

  @Test
  void onlyAnEvictionForSpaceAges() {
    Ageing policy = new Ageing();
    SimEntry popular = new SimEntry(1);
    popular.accesses = 5;
    policy.removed(policy.inserted(popular), RemovalCause.DELETED);
    assertThat(policy.age).isZero();

    RankedBlockPolicy.Ranked node = policy.inserted(popular);
    policy.refused(node);
    policy.removed(node, RemovalCause.EVICTED);
    assertThat(policy.age).isEqualTo(5);
  }

  @Test
  void aNodeSaysWhoseItIs() {
    Ranked policy = new Ranked(Entry::accesses);
    Entry entry = new SimEntry(7);

    assertThat(policy.inserted(entry).entry()).isSameAs(entry);
  }

  @Test
  void hasNoPlaceForWhatIsNotANumber() {
    Ranked policy = new Ranked(entry -> 0.0 / entry.depth());
    assertThatThrownBy(() -> policy.inserted(new SimEntry(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("NaN");
  }

  @Test
  void readsTheRankAgainOnAccessAlsoOfANodeThatIsSetAside() {
    Ranked policy = new Ranked(Entry::priority);
    SimEntry a = new SimEntry(1);
    SimEntry b = new SimEntry(2);
    RankedBlockPolicy.Ranked nodeOfA = policy.inserted(a);
    RankedBlockPolicy.Ranked nodeOfB = policy.inserted(b);
    a.priority = 9;
    policy.accessed(nodeOfA);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(b);
    policy.refused(nodeOfB);
    b.priority = 10;
    policy.accessed(nodeOfB);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(a);
    policy.released(nodeOfB);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(a);
    assertThat(policy.score(nodeOfB)).isEqualTo(10);
  }

  @Test
  void aReleasedNodeKeepsItsRankWithoutAnAccess() {
    Ageing policy = new Ageing();
    SimEntry parent = new SimEntry(1);
    parent.accesses = 1;
    RankedBlockPolicy.Ranked node = policy.inserted(parent);
    policy.refused(node);
    SimEntry popular = new SimEntry(2);
    popular.accesses = 5;
    policy.removed(policy.inserted(popular), RemovalCause.EVICTED);

    policy.released(node);

    assertThat(policy.score(node)).isOne();
  }

  @Test
  void forgetsANodeRemovedWhileSetAside() {
    Ranked policy = new Ranked(Entry::priority);
    RankedBlockPolicy.Ranked node = policy.inserted(new SimEntry(1));
    policy.refused(node);
    assertThat(policy.size()).isOne();
    policy.removed(node, RemovalCause.DELETED);
    assertThat(policy.size()).isZero();
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isNull();
  }
}

package dev.ebb.spi;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.spi.sim.NaiveRankedPolicy;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampledBlockPolicyTest {

  private static final class Sampled extends SampledBlockPolicy<SampledBlockPolicy.Node> {
    private final ToDoubleFunction<Entry> rank;

    private Sampled(int samples, ToDoubleFunction<Entry> rank) {
      super(new Random(1), samples, Node::new);
      this.rank = rank;
    }

    @Override
    protected double rank(Node node) {
      return rank.applyAsDouble(node.entry());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void evictsTheLowestOfAllIfTheSampleHasAll(long seed) {
    NaiveRankedPolicy.assertEvictsBy(
        Comparator.comparingInt(Entry::accesses).thenComparingLong(Entry::lastAccessTick),
        new Sampled(60, Entry::accesses),
        seed);
  }

  @Test
  void drawsFromAllThatCanBeEvictedAndFromNothingElse() {
    Sampled policy = new Sampled(1, entry -> 0);
    Map<Entry, SampledBlockPolicy.Node> nodes = new HashMap<>();
    Set<Entry> drawable = new HashSet<>();
    for (int id = 0; id < 100; id++) {
      Entry entry = new SimEntry(id);
      nodes.put(entry, policy.inserted(entry));
      drawable.add(entry);
    }
    for (Entry entry : List.copyOf(drawable)) {
      if (entry.fingerprint() % 3 == 0) {
        policy.refused(requireNonNull(nodes.get(entry)));
        drawable.remove(entry);
      } else if (entry.fingerprint() % 3 == 1) {
        policy.removed(requireNonNull(nodes.get(entry)), RemovalCause.EVICTED);
        drawable.remove(entry);
      }
    }
    assertThat(drawn(policy)).isEqualTo(drawable).isNotEmpty();

    for (Map.Entry<Entry, SampledBlockPolicy.Node> each : nodes.entrySet()) {
      if (each.getKey().fingerprint() % 3 == 0) {
        policy.released(each.getValue());
        drawable.add(each.getKey());
      }
    }
    assertThat(drawn(policy)).isEqualTo(drawable);
    assertThat(policy.size()).isEqualTo(drawable.size());
  }

  private static Set<Entry> drawn(Sampled policy) {
    Set<Entry> drawn = new HashSet<>();
    for (int i = 0; i < 3_000; i++) {
      drawn.add(policy.victim(SimDemand.ONE_BLOCK));
    }
    return drawn;
  }

  @Test
  void readsRanksWhenAVictimIsNeeded() {
    Sampled policy = new Sampled(8, Entry::priority);
    SimEntry a = new SimEntry(1);
    SimEntry b = new SimEntry(2);
    policy.inserted(a);
    policy.inserted(b);
    a.priority = 9;
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(b);
    b.priority = 10;
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(a);
  }

  @Test
  void hasNoVictimWithoutEntries() {
    assertThat(new Sampled(8, entry -> 0).victim(SimDemand.ONE_BLOCK)).isNull();
  }

  @Test
  void rejectsARankThatIsNotANumber() {
    Sampled policy = new Sampled(8, entry -> Double.NaN);
    policy.inserted(new SimEntry(1));
    assertThatThrownBy(() -> policy.victim(SimDemand.ONE_BLOCK))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("NaN");
  }

  @Test
  void needsASample() {
    assertThatThrownBy(() -> new Sampled(0, entry -> 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }
}

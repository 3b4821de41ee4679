package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table agrees with a plain map, as long as it need not forget. */
class PredecessorsTest {

  /** What is known about a key in an unbounded map. */
  private static final class Known {
    private long candidate;
    private int strength = 1;
    private long challenger;
    private int inRow;
    private int others;

    private Known(long candidate) {
      this.candidate = candidate;
    }

    private boolean saw(long predecessor) {
      if (predecessor == candidate) {
        strength = Math.min(strength + 1, Predecessors.CERTAIN);
        inRow = 0;
        others = 0;
        return false;
      }
      inRow = predecessor == challenger ? inRow + 1 : 1;
      challenger = predecessor;
      others = Math.min(others + 1, Predecessors.UNSUPPORTED);
      boolean first =
          others == Predecessors.UNSUPPORTED
              && candidate != Predecessors.NONE
              && (inRow == 1 || inRow < strength);
      if (inRow < strength && !first) {
        return false;
      }
      others = first || inRow > 1 ? 0 : others;
      candidate = first ? Predecessors.NONE : predecessor;
      strength = first ? Predecessors.CERTAIN : inRow;
      inRow = 0;
      challenger = 0;
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void itAgreesWithAMap(int seed) {
    Random random = new Random(seed);
    // Far fewer keys than cells, so that no bucket overflows.
    Predecessors table = new Predecessors(1 << 20);
    Map<Long, Known> map = new HashMap<>();
    long[] keys = random.longs(60).toArray();
    long replaced = 0;
    for (int step = 0; step < 50_000; step++) {
      long key = keys[random.nextInt(keys.length)];
      long predecessor = random.nextInt(5) == 0 ? Predecessors.NONE : random.nextInt(3) + 1;
      table.saw(key, predecessor);
      Known known = map.get(key);
      if (known == null) {
        map.put(key, new Known(predecessor));
      } else if (known.saw(predecessor)) {
        replaced++;
      }
      known = requireNonNull(map.get(key));
      assertThat(table.before(key)).as("step %d", step).isEqualTo(known.candidate);
      assertThat(table.seen(key)).as("step %d", step).isEqualTo(known.strength);
    }
    assertThat(table.size()).isEqualTo(map.size());
    assertThat(table.replaced()).isEqualTo(replaced).isPositive();
  }

  @Test
  void itGrowsAndKeepsNearlyAllKeys() {
    Random random = new Random(1);
    Predecessors table = new Predecessors(1 << 17);
    long[] keys = random.longs(100_000).toArray();
    for (long key : keys) {
      table.saw(key, key + 1);
    }
    int kept = 0;
    for (long key : keys) {
      if (table.seen(key) > 0) {
        kept++;
        assertThat(table.before(key)).isEqualTo(key + 1);
      }
    }
    assertThat(kept).isEqualTo(table.size());
    assertThat(kept).isGreaterThan(97_000);
  }

  @Test
  void aFullTableForgetsTheWeakest() {
    Random random = new Random(2);
    Predecessors table = new Predecessors(1_000);
    long[] certain = random.longs(400).toArray();
    for (int round = 0; round < Predecessors.CERTAIN; round++) {
      for (long key : certain) {
        table.saw(key, 7);
      }
    }
    for (int i = 0; i < 100_000; i++) {
      table.saw(random.nextLong(), 9);
    }
    int kept = 0;
    for (long key : certain) {
      kept += table.seen(key) == Predecessors.CERTAIN && table.before(key) == 7 ? 1 : 0;
    }
    assertThat(kept).isGreaterThan(380);
    assertThat(table.size()).isLessThanOrEqualTo(4_096);
  }

  @Test
  void aPredecessorSeenInThreeOfFourObservationsIsFound() {
    Random random = new Random(3);
    Predecessors table = new Predecessors(1 << 16);
    long[] keys = random.longs(2_000).toArray();
    for (long key : keys) {
      for (int i = 0; i < 40; i++) {
        table.saw(key, random.nextInt(4) == 0 ? random.nextLong() : ~key);
      }
    }
    int found = 0;
    for (long key : keys) {
      if (table.seen(key) > 0) {
        assertThat(table.before(key)).isEqualTo(~key);
        found++;
      }
    }
    assertThat(found).isGreaterThan(keys.length * 97 / 100);
  }

  @Test
  void oneWrongFirstSightIsReplaced() {
    Predecessors table = new Predecessors(1 << 10);
    table.saw(5, 99);
    table.saw(5, 4);
    assertThat(table.before(5)).isEqualTo(4);
    table.saw(5, 4);
    table.saw(5, 4);
    assertThat(table.seen(5)).isEqualTo(Predecessors.CERTAIN);
    table.saw(5, 99);
    table.saw(5, 99);
    assertThat(table.before(5)).isEqualTo(4);
    table.saw(5, 99);
    assertThat(table.before(5)).isEqualTo(99);
  }

  @Test
  void aKeyAfterADifferentOneEachTimeIsTheFirstOfAChain() {
    Predecessors table = new Predecessors(1 << 10);
    table.saw(5, 99);
    table.saw(5, 99);
    for (int other = 1; other < Predecessors.UNSUPPORTED; other++) {
      table.saw(5, other);
      assertThat(table.before(5)).isEqualTo(99);
    }
    table.saw(5, 42);
    assertThat(table.before(5)).isEqualTo(Predecessors.NONE);
    assertThat(table.seen(5)).isEqualTo(Predecessors.CERTAIN);
    for (int i = 0; i < Predecessors.CERTAIN; i++) {
      table.saw(5, 42);
    }
    assertThat(table.before(5)).isEqualTo(42);
  }

  @Test
  void theFirstOfAChainIsKnownToHaveNone() {
    Predecessors table = new Predecessors(1 << 10);
    assertThat(table.seen(3)).isZero();
    table.saw(3, Predecessors.NONE);
    assertThat(table.seen(3)).isEqualTo(1);
    assertThat(table.before(3)).isEqualTo(Predecessors.NONE);
  }
}

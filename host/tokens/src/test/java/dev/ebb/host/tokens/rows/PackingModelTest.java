package dev.ebb.host.tokens.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.Histories;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drops tokens at random and compares rows and positions with plain lists, one for each lane. */
class PackingModelTest {

  private static final int LAYERS = 3;
  private static final int KV_HEADS = 2;
  private static final int LANES = LAYERS * KV_HEADS;

  /** What a lane's memory holds by row: the position of the token in that row. */
  private final List<List<Integer>> memory = new ArrayList<>();

  private final StoredTokens tokens = new StoredTokens(LAYERS, KV_HEADS);
  private final Packing packing = new Packing(tokens);

  PackingModelTest() {
    for (int lane = 0; lane < LANES; lane++) {
      memory.add(new ArrayList<>());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void agreesWithPlainLists(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < Histories.times(120); step++) {
      if (random.nextInt(3) == 0) {
        append(random.nextInt(40));
      } else {
        drop(random, seed + " at step " + step);
      }
      check(seed + " at step " + step);
    }
  }

  private void append(int count) {
    for (int i = 0; i < count; i++) {
      int position = tokens.position() + i;
      memory.forEach(lane -> lane.add(position));
    }
    tokens.append(count);
  }

  private void drop(SplittableRandom random, String where) {
    int sets = Math.max(tokens.sets(), new int[] {1, LAYERS, LANES}[random.nextInt(3)]);
    double share = random.nextBoolean() ? 0.98 : random.nextDouble();
    int[][] kept = new int[sets][];
    for (int set = 0; set < sets; set++) {
      int length = memory.get(set * LANES / sets).size();
      kept[set] = IntStream.range(0, length).filter(index -> random.nextDouble() < share).toArray();
    }
    StoredTokens before = tokens.copy();
    packing.plan(random.nextBoolean(), KeptSets.of(kept));
    assertThat(positions(before)).as(where).usingRecursiveComparison().isEqualTo(positions(tokens));
    assertThat(packing.sets()).as(where).isEqualTo(sets);
    move(sets, where);
    packing.commit();
    assertThat(tokens.pruned()).as(where).isEqualTo(before.pruned() || packing.dropped() > 0);
  }

  /** Moves rows in place, front to back, as memory would be moved. */
  private void move(int sets, String where) {
    long dropped = 0;
    for (int lane = 0; lane < LANES; lane++) {
      int set = lane * sets / LANES;
      List<Integer> rows = memory.get(lane);
      assertThat(packing.firstMoved(set)).as(where).isEqualTo(move(set, rows, where));
      if (lane % (LANES / sets) == 0) {
        dropped += rows.size() - packing.kept(set);
      }
      rows.subList(packing.kept(set), rows.size()).clear();
    }
    assertThat(packing.dropped()).as(where).isEqualTo(dropped);
  }

  /** Returns the first row that changes. */
  private int move(int set, List<Integer> rows, String where) {
    int first = packing.kept(set);
    int changed = 0;
    for (int to = packing.kept(set) - 1; to >= 0 && !packing.filling(); to--) {
      first = packing.sources(set)[to] == to ? first : to;
    }
    for (int to = first; to < packing.kept(set); to++) {
      int from = packing.sources(set)[to];
      assertThat(from).as(where).isGreaterThan(to);
      rows.set(to, rows.get(from));
      changed++;
    }
    for (int move = 0; packing.filling() && move < packing.moved(set); move++) {
      int to = packing.to(set, move);
      assertThat(packing.from(set, move)).as(where).isGreaterThanOrEqualTo(packing.kept(set));
      rows.set(to, rows.get(packing.from(set, move)));
      first = Math.min(first, to);
      changed++;
    }
    assertThat(changed).as(where).isEqualTo(packing.moved(set));
    return first;
  }

  private void check(String where) {
    for (int lane = 0; lane < LANES; lane++) {
      int set = tokens.setOf(lane);
      int[] rows = memory.get(lane).stream().mapToInt(Integer::intValue).toArray();
      assertThat(tokens.length(set)).as(where).isEqualTo(rows.length);
      assertThat(tokens.positionsByRow(set)).as(where).isEqualTo(rows);
      int[] sorted = rows.clone();
      Arrays.sort(sorted);
      for (int index = 0; index < rows.length; index++) {
        assertThat(tokens.position(set, index)).as(where).isEqualTo(sorted[index]);
      }
      assertThat(tokens.ordered(set)).as(where).isEqualTo(Arrays.equals(rows, sorted));
    }
  }

  private static List<int[]> positions(StoredTokens of) {
    List<int[]> all = new ArrayList<>();
    for (int set = 0; set < of.sets(); set++) {
      all.add(of.positionsByRow(set));
    }
    return all;
  }

  @Test
  void fewDroppedTokensMoveAsFewRows() {
    append(100);
    int[] kept = IntStream.range(0, 100).filter(i -> i != 10).toArray();

    packing.plan(true, KeptSets.of(kept));

    assertThat(packing.filling()).isTrue();
    assertThat(packing.moved(0)).isEqualTo(1);
    assertThat(packing.to(0, 0)).isEqualTo(10);
    assertThat(packing.from(0, 0)).isEqualTo(99);
  }

  @Test
  void manyDroppedTokensKeepTheOrderOfRows() {
    append(100);
    int[] kept = IntStream.range(0, 100).filter(i -> i % 2 == 0).toArray();

    packing.plan(true, KeptSets.of(kept));

    assertThat(packing.filling()).isFalse();
    assertThat(packing.sources(0)).startsWith(0, 2, 4);
  }

  @Test
  void wrongSetsAreRefusedAndChangeNothing() {
    append(10);

    assertThatThrownBy(() -> packing.plan(false, KeptSets.of(new int[2][0])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'2'");
    assertThatThrownBy(() -> packing.plan(false, KeptSets.of(new int[] {3, 3})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'3'");
    assertThatThrownBy(() -> packing.plan(false, KeptSets.of(new int[] {10})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'10'");
    assertThat(tokens.length(0)).isEqualTo(10);
    assertThat(tokens.pruned()).isFalse();
  }
}

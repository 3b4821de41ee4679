package dev.ebb.host.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSelectionTest {

  @Test
  void keepsTheHighestAscending() {
    assertThat(select(new float[] {1, 5, -2, 4, 3}, 3)).containsExactly(1, 3, 4);
  }

  @Test
  void amongEqualsKeepsTheLowerIndex() {
    assertThat(select(new float[] {7, 1, 1, 1, 1}, 3)).containsExactly(0, 1, 2);
    assertThat(select(new float[] {-0f, 0f, -0f, 0f}, 2)).containsExactly(0, 1);
  }

  @Test
  void ordersEveryFloat() {
    float[] scores = {
      Float.NEGATIVE_INFINITY, -Float.MIN_VALUE, Float.MIN_VALUE, Float.POSITIVE_INFINITY, 0, 1e-30f
    };
    assertThat(select(scores, 1)).containsExactly(3);
    assertThat(select(scores, 2)).containsExactly(3, 5);
    assertThat(select(scores, 3)).containsExactly(2, 3, 5);
    assertThat(select(scores, 4)).containsExactly(2, 3, 4, 5);
    assertThat(select(scores, 5)).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void keepsProtectedTokensWhateverTheirScore() {
    float[] scores = {Float.NaN, 5, 6, 7, -100};
    assertThat(select(scores, 3, 0, 4)).containsExactly(0, 3, 4);
  }

  @Test
  void keepsTheNewestOfTheProtectedIfFewerStay() {
    assertThat(select(new float[6], 2, 0, 1, 4, 5)).containsExactly(4, 5);
    assertThat(select(new float[6], 3, 0, 1, 4, 5)).containsExactly(1, 4, 5);
    assertThat(select(new float[6], 0, 0, 1)).isEmpty();
  }

  @Test
  void keepsAllIfThereAreFewer() {
    assertThat(select(new float[] {1, 2}, 9)).containsExactly(0, 1);
    assertThat(select(new float[0], 9)).isEmpty();
  }

  @Test
  void refusesWhatIsNoScore() {
    assertThatThrownBy(() -> select(new float[] {1, Float.NaN, 2}, 1))
        .isInstanceOf(InvalidScore.class)
        .hasMessage("the score of index '1' is not a number");
    assertThatThrownBy(() -> select(new float[] {1, 2}, 1, 2))
        .isInstanceOf(InvalidScore.class)
        .hasMessageContaining("token '2'");
  }

  @Test
  void letsHeadsCompeteAboveTheFloor() {
    float[] scores = {9, 8, 7, 6, /* the other head */ 1, 2, 3, 4};
    KeptTokens kept = new KeptTokens();
    TokenSelection selection = new TokenSelection();
    selection.select(scores, 2, 4, new BitSet(), 2, 0, kept);
    assertThat(kept.tokens(0)).containsExactly(0, 1, 2, 3);
    assertThat(kept.tokens(1)).isEmpty();
    selection.select(scores, 2, 4, new BitSet(), 2, 1, kept);
    assertThat(kept.tokens(0)).containsExactly(0, 1, 2);
    assertThat(kept.tokens(1)).containsExactly(3);
    selection.select(scores, 2, 4, new BitSet(), 2, 2, kept);
    assertThat(kept.tokens(0)).containsExactly(0, 1);
    assertThat(kept.tokens(1)).containsExactly(2, 3);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithSortingOnAnything(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TokenSelection selection = new TokenSelection();
    KeptTokens kept = new KeptTokens();
    for (int round = 0; round < 1_500; round++) {
      int sets = random.nextInt(1, 5);
      int length = random.nextInt(0, random.nextBoolean() ? 60 : 200);
      float[] scores = scores(random, sets * length);
      BitSet mask = new BitSet();
      random.ints(random.nextInt(0, 6), 0, Math.max(1, length)).forEach(mask::set);
      mask.clear(length, Integer.MAX_VALUE);
      int keep = random.nextInt(0, length + 3);
      int floor = random.nextBoolean() ? keep : random.nextInt(0, keep + 1);
      selection.select(scores, sets, length, mask, keep, floor, kept);
      List<List<Integer>> expected = naive(scores, sets, length, mask, keep, floor);
      for (int set = 0; set < sets; set++) {
        assertThat(kept.tokens(set)).containsExactly(ints(expected.get(set)));
      }
    }
  }

  @Test
  void findsWhatToDropHoweverMuch() {
    SplittableRandom random = new SplittableRandom(4);
    TokenSelection selection = new TokenSelection();
    KeptTokens kept = new KeptTokens();
    float[] scores = scores(random, 3 * 500);
    BitSet mask = new BitSet();
    mask.set(480, 500);
    for (int keep = 300; keep <= 500; keep += 4) {
      for (int floor : new int[] {0, keep - 1, keep}) {
        selection.select(scores, 3, 500, mask, keep, floor, kept);
        List<List<Integer>> expected = naive(scores, 3, 500, mask, keep, floor);
        for (int set = 0; set < 3; set++) {
          assertThat(kept.tokens(set)).containsExactly(ints(expected.get(set)));
        }
      }
    }
  }

  @Test
  void refusesWhatIsNoScoreThoughAllStay() {
    assertThatThrownBy(() -> select(new float[] {1, Float.NaN, 2}, 3))
        .isInstanceOf(InvalidScore.class)
        .hasMessageContaining("'1'");
    float[] many = new float[300];
    many[299] = Float.NaN;
    assertThatThrownBy(() -> select(many, 299))
        .isInstanceOf(InvalidScore.class)
        .hasMessageContaining("'299'");
  }

  /** Random numbers of every size, with many equal ones among them. */
  private static float[] scores(SplittableRandom random, int count) {
    float[] scores = new float[count];
    for (int i = 0; i < count; i++) {
      float any = Float.intBitsToFloat(random.nextInt());
      scores[i] = random.nextBoolean() || Float.isNaN(any) ? random.nextInt(-3, 4) / 4f : any;
    }
    return scores;
  }

  private static List<List<Integer>> naive(
      float[] scores, int sets, int length, BitSet mask, int keep, int floor) {
    List<List<Integer>> result = new ArrayList<>();
    List<Integer> newestFirst = mask.stream().boxed().sorted(Comparator.reverseOrder()).toList();
    for (int set = 0; set < sets; set++) {
      List<Integer> kept = new ArrayList<>(newestFirst.stream().limit(keep).toList());
      ranked(scores, set * length, length).stream()
          .map(i -> i % Math.max(1, length))
          .filter(i -> !mask.get(i))
          .limit(Math.max(0, Math.min(floor, keep) - kept.size()))
          .forEach(kept::add);
      result.add(kept);
    }
    int all = sets * Math.min(keep, length);
    for (int i : ranked(scores, 0, sets * length)) {
      List<Integer> kept = result.get(i / length);
      if (result.stream().mapToInt(List::size).sum() < all && !kept.contains(i % length)) {
        kept.add(i % length);
      }
    }
    result.forEach(kept -> kept.sort(null));
    return result;
  }

  private static List<Integer> ranked(float[] scores, int from, int count) {
    return IntStream.range(from, from + count)
        .boxed()
        .sorted(
            Comparator.<Integer>comparingDouble(i -> -(double) (scores[i] + 0f))
                .thenComparing(Comparator.naturalOrder()))
        .toList();
  }

  private static int[] ints(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int[] select(float[] scores, int keep, int... guarded) {
    BitSet mask = new BitSet();
    Arrays.stream(guarded).forEach(mask::set);
    KeptTokens kept = new KeptTokens();
    new TokenSelection().select(scores, 1, scores.length, mask, keep, keep, kept);
    return kept.tokens(0);
  }
}

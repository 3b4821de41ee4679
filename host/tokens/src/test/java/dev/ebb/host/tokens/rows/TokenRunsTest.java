package dev.ebb.host.tokens.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenRunsTest {

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.3, 0.8, 0.99, 1})
  void agreeWithAnArrayOfTokens(double share) {
    SplittableRandom random = new SplittableRandom(1);
    TokenRuns runs = new TokenRuns();
    for (int round = 0; round < 200; round++) {
      int length = random.nextInt(300);
      int[] tokens =
          IntStream.range(0, length).filter(token -> random.nextDouble() < share).toArray();
      runs.clear();
      for (int token : tokens) {
        runs.add(token, token + 1);
      }
      TokenRuns copy = new TokenRuns();
      copy.copy(runs);

      assertThat(copy.toArray()).isEqualTo(tokens);
      assertThat(copy.tokens()).isEqualTo(tokens.length);
      for (int run = 1; run < copy.count(); run++) {
        assertThat(copy.start(run)).isGreaterThan(copy.end(run - 1));
      }
      int[] values = IntStream.range(0, length).map(i -> 7 * i).toArray();
      copy.compact(values);
      assertThat(Arrays.copyOf(values, tokens.length))
          .isEqualTo(IntStream.of(tokens).map(i -> 7 * i).toArray());
      check(copy, tokens, length, random.nextInt(5));
    }
  }

  private static void check(TokenRuns runs, int[] tokens, int length, int shift) {
    float[] values = new float[shift + length];
    for (int i = 0; i < length; i++) {
      values[shift + i] = i;
    }
    runs.compact(values, shift, 0);
    for (int i = 0; i < tokens.length; i++) {
      assertThat(values[i]).isEqualTo(tokens[i]);
    }
  }

  @Test
  void neighboursAreOneRunAndAnEmptyOneIsNone() {
    TokenRuns runs = new TokenRuns();
    runs.add(2, 4);
    runs.add(4, 4);
    runs.add(4, 9);
    assertThat(runs.count()).isEqualTo(1);
    assertThat(runs.start(0)).isEqualTo(2);
    assertThat(runs.end(0)).isEqualTo(9);
  }
}

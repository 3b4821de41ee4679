package dev.ebb.host.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  @Test
  void eachRoundBeginsWithAnotherPolicy() {
    List<String> turns = new ArrayList<>();

    Comparison.run(
        List.of("a", "b", "c"),
        3,
        (policy, round) -> {
          turns.add(policy + round);
          return result(0.5);
        });

    assertThat(turns).containsExactly("a0", "b0", "c0", "b1", "c1", "a1", "c2", "a2", "b2");
  }

  @Test
  void aSteadyDifferenceIsMoreThanNoise() {
    double[] drift = {0.1, 0.3, 0.2, 0.4, 0.2};

    Comparison comparison =
        Comparison.run(
            List.of("a", "b"),
            5,
            (policy, round) -> result(drift[round] + (policy.equals("b") ? 0.02 : 0)));

    assertThat(comparison.ranking()).containsExactly("b", "a");
    assertThat(comparison.hitRatio("b")).isCloseTo(0.26, within(1e-3));
    assertThat(comparison.lead().points()).isCloseTo(0.02, within(1e-3));
    assertThat(comparison.lead().moreThanChance()).isTrue();
  }

  @Test
  void aDifferenceOfOneRoundMayBeChance() {
    Comparison comparison =
        Comparison.run(
            List.of("a", "b"),
            5,
            (policy, round) -> result(policy.equals("b") && round == 2 ? 0.6 : 0.5));

    // The mean is 0.02, its standard error 0.02, and t for four degrees of freedom 2.776.
    assertThat(comparison.lead().points()).isCloseTo(0.02, within(1e-9));
    assertThat(comparison.lead().margin()).isCloseTo(2.776 * 0.02, within(1e-9));
    assertThat(comparison.lead().moreThanChance()).isFalse();
  }

  private static BenchResult result(double hitRatio) {
    return new BenchResult(
        "test",
        1,
        1_000,
        1_000,
        Math.round(1_000 * hitRatio),
        0,
        0,
        0,
        null,
        0,
        0,
        0,
        null,
        new Histogram(3),
        Double.NaN,
        0);
  }
}

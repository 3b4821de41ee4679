package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.cache.stats.Fairness;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import dev.ebb.host.replay.RunTally.HitSeries;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small parts of a report. */
class ReplayValuesTest {

  @Test
  void fairnessIsJainsIndexOverTheTenantsHitRatios() {
    Fairness fairness = new Fairness();
    assertThat(fairness.index()).isNaN();
    fairness.add(null, 5, 10);
    assertThat(fairness.index()).isNaN();
    fairness.add("a", 5, 10);
    assertThat(fairness.index()).isEqualTo(1);
    fairness.add("b", 0, 1000);
    assertThat(fairness.index()).isEqualTo(0.5);
    fairness.add("b", 500, 0);
    assertThat(fairness.index()).isEqualTo(1);
    fairness.add("c", 1, 4);
    // (0.5 + 0.5 + 0.25)^2 / (3 (0.25 + 0.25 + 0.0625))
    assertThat(fairness.index()).isCloseTo(1.5625 / 1.6875, within(1e-12));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 255, 256, 257, 1000, 5000})
  void theSeriesHoldsEveryReferenceOnce(int requests) {
    Random random = new Random(requests);
    HitSeries series = new HitSeries();
    int[] hits = new int[requests];
    for (int i = 0; i < requests; i++) {
      hits[i] = random.nextInt(11);
      series.add(hits[i], 10);
    }
    List<Double> ratios = series.steps().stream().map(ReplayResult.Step::ratio).toList();
    int step = series.requestsPerStep();
    assertThat(ratios).hasSize((requests + step - 1) / step).hasSizeLessThanOrEqualTo(256);
    for (int i = 0; i < ratios.size(); i++) {
      int from = i * step;
      int to = Math.min(requests, from + step);
      int sum = 0;
      for (int request = from; request < to; request++) {
        sum += hits[request];
      }
      assertThat(ratios.get(i)).isCloseTo(sum / (10.0 * (to - from)), within(1e-12));
    }
  }

  @Test
  void capacitiesAreBlocksOrShares() {
    List<Capacity> capacities = Capacity.parseAll("1%, 2.5%,10_000,7");
    assertThat(capacities.stream().map(capacity -> capacity.blocksOf(1000)))
        .containsExactly(10L, 25L, 10_000L, 7L);
    assertThat(Capacity.parseAll("0.001%").getFirst().blocksOf(10)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "0%", "101%", "x", "1,,2", "NaN%", "1e9", "5 %x"})
  void aWrongCapacityIsReported(String text) {
    assertThatThrownBy(() -> Capacity.parseAll(text))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("--capacity: '")
        .hasMessageContaining("such as 10000");
  }

  @Test
  void aReportRanksComparesAndNamesTies() {
    ReplayReport report =
        report(
            new ReplayReport.Bounds(result("LRU", 20, null), 0.6),
            result("broken", 90, "policy 'broken' failed"),
            result("low", 20, null),
            result("high", 40, null),
            result("equal", 40, null));

    assertThat(report.at(50).stream().map(ReplayResult::policy))
        .containsExactly("high", "equal", "low", "broken");
    assertThat(report.best(50).stream().map(ReplayResult::policy)).containsExactly("high", "equal");
    assertThat(report.gapClosed(report.best(50).getFirst())).isCloseTo(0.5, within(1e-12));
    assertThat(report.succeeded()).isFalse();
    assertThat(ReplayTable.write(report, Set.of(), 0))
        .contains("best at 50 blocks: high = equal, 40.00% of 60.00% possible; closes 50.00%")
        .contains("broken stopped after 10 requests: policy 'broken' failed");
    assertThat(ReplayTable.write(report, Set.of("low", "broken"), 0))
        .containsPattern("\\n  low \\* +20\\.00%")
        .containsPattern("\\n  broken \\* +failed")
        .containsPattern("\\n  high +40\\.00%")
        .contains("\n* candidate\n");
    assertThat(ReplayTable.write(report, Set.of(), 0)).doesNotContain("*");
    assertThat(ReplayTable.write(report, Set.of(), 0))
        .containsPattern("\\n  high .* 160 +320 +1,600 ");
    assertThat(ReplayTable.write(report, Set.of(), 800))
        .containsPattern("\\n  high .* 0\\.20 s +0\\.40 s +2\\.00 s ");
    assertThat(ReplayJson.write(List.of(report), false, Set.of("low", "high")))
        .contains("\"candidates\" : [ \"high\", \"low\" ]");
    assertThat(ReplayJson.write(List.of(report), false, Set.of()))
        .doesNotContain("candidates")
        .contains("\"prefixHitRatio\" : 0.4", "\"gapClosed\" : 0.5", "\"fairness\" : null")
        .contains("\"failure\" : \"policy 'broken' failed\"")
        .doesNotContain("NaN", "series");
  }

  @Test
  void aShareOfTheGapFarBelowLruIsNotSpeltOut() {
    ReplayReport report =
        report(
            new ReplayReport.Bounds(result("LRU", 44, null), 0.46),
            result("near", 42, null),
            result("far", 20, null));

    assertThat(ReplayTable.write(report, Set.of(), 0))
        .containsPattern("near +42\\.00% +42\\.00% +-100\\.00%")
        .containsPattern("far +20\\.00% +20\\.00% +< -100%");
    assertThat(ReplayJson.write(List.of(report), false, Set.of()))
        .containsPattern("\"gapClosed\" : -1[12]\\.");
  }

  @Test
  void inThePrefixModelAKeyNamesTheWholePath() {
    long ab = ReplayModel.PREFIX.key(ReplayModel.PREFIX.key(0, 1), 2);
    long cb = ReplayModel.PREFIX.key(ReplayModel.PREFIX.key(0, 3), 2);
    assertThat(ab).isNotEqualTo(cb);
    assertThat(ReplayModel.OBJECT.key(1, 2)).isEqualTo(ReplayModel.OBJECT.key(3, 2));
  }

  private static ReplayReport report(ReplayReport.Bounds bounds, ReplayResult... runs) {
    return new ReplayReport(
        "t",
        ReplayModel.PREFIX,
        10,
        100,
        80,
        16,
        0,
        List.of(),
        1,
        1,
        List.of(runs),
        Map.of(50L, bounds),
        null,
        0,
        null,
        null);
  }

  private static ReplayResult result(String policy, long hits, @Nullable String failure) {
    return new ReplayResult(
        "t",
        ReplayModel.PREFIX,
        policy,
        50,
        10,
        100,
        hits,
        hits,
        1600,
        hits * 16,
        new PrefillTokens(160, 320, 1_600),
        0.1,
        1024,
        Double.NaN,
        7,
        0,
        0,
        0,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        1e6,
        List.of(new ReplayResult.Step(hits, 100)),
        10,
        failure,
        "",
        null,
        null,
        null);
  }
}

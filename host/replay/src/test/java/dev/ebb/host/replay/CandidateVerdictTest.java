package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.replay.CandidateVerdict.Result.LruComparison;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CandidateVerdictTest {

  private final List<ReplayResult> runs = new ArrayList<>();
  private int steps = 160;

  @Test
  void saysWhereItIsBetterAndWorseThanLruAndItsPlace() {
    replay("mine", 100, step -> 54 + step % 2)
        .replay("lru", 100, CandidateVerdictTest::lru)
        .replay("top", 100, s -> 90);
    replay("mine", 500, step -> 60)
        .replay("lru", 500, CandidateVerdictTest::lru)
        .replay("top", 500, s -> 90);
    replay("mine", 1_000, step -> 43)
        .replay("lru", 1_000, CandidateVerdictTest::lru)
        .replay("top", 1_000, s -> 90);

    assertThat(text())
        .isEqualTo(
            "mine: better than LRU at 1% (+4.5 points) and 5% (+10.0), worse at 10% (-7.0);"
                + " 2nd, 2nd and 3rd of 3");
  }

  @Test
  void equalHitsAreExactlyAsGood() {
    replay("mine", 100, CandidateVerdictTest::lru).replay("lru", 100, CandidateVerdictTest::lru);
    replay("mine", 500, CandidateVerdictTest::lru).replay("lru", 500, CandidateVerdictTest::lru);

    assertThat(text()).isEqualTo("mine: exactly as good as LRU at 1% and 5%; 1st of 2 everywhere");
  }

  @Test
  void aDifferenceThatMayBeChanceIsNeitherBetterNorWorse() {
    // All of the gain is in one slice of the trace.
    replay("mine", 100, step -> step < 10 ? 90 : 50).replay("lru", 100, CandidateVerdictTest::lru);

    CandidateVerdict verdict = verdicts(Set.of("mine")).getFirst();

    assertThat(verdict.text())
        .isEqualTo("mine: no clear difference from LRU at 1% (+2.5 points, ± 5.3); 1st of 2");
    assertThat(verdict.better()).isFalse();
    assertThat(verdict.results().getFirst().comparedWithLru()).isEqualTo(LruComparison.UNCLEAR);
  }

  @Test
  void aFewRequestsTellNothing() {
    steps = 15;
    replay("mine", 100, step -> 51);

    assertThat(text())
        .isEqualTo("mine: no clear difference from LRU at 1% (+1.0 points, too few requests)");
  }

  @Test
  void aSmallLeadIsNotWrittenAsNone() {
    replay("mine", 100, step -> step % 50 == 0 ? 51 : 50);

    assertThat(text()).contains("(+0.03 points)");
  }

  @Test
  void aFailureIsReportedWithTheOtherChecks() {
    replay("mine", 100, step -> 60);
    runs.add(run("mine", 500, step -> 60, "no victim"));

    assertThat(text()).isEqualTo("mine: better than LRU at 1% (+10.0 points), failed at 5%");
  }

  @Test
  void everyCandidatePolicyHasItsOwnInTheOrderOfTheRuns() {
    replay("b(x=1)", 100, step -> 60)
        .replay("lru", 100, CandidateVerdictTest::lru)
        .replay("a", 100, step -> 40);

    assertThat(verdicts(Set.of("a", "b(x=1)")).stream().map(CandidateVerdict::text))
        .containsExactly(
            "b(x=1): better than LRU at 1% (+10.0 points); 1st of 3",
            "a: worse than LRU at 1% (-10.0 points); 3rd of 3");
  }

  @Test
  void sharesThatReadAlikeAreWrittenInBlocks() {
    replay("mine", 1_000, CandidateVerdictTest::lru);
    replay("mine", 1_001, CandidateVerdictTest::lru);

    assertThat(text()).isEqualTo("mine: exactly as good as LRU at 1,000 blocks and 1,001 blocks");
  }

  @Test
  void theDocumentHasTheNumbers() {
    replay("mine", 100, step -> 60).replay("lru", 100, CandidateVerdictTest::lru);

    assertThat(ReplayJson.write(List.of(report()), false, Set.of("mine")).replaceAll("\\s+", " "))
        .contains("\"best\" : [ { \"capacityBlocks\" : 100, \"policies\" : [ \"mine\" ] } ]")
        .contains(
            "\"verdicts\" : [ { \"policy\" : \"mine\","
                + " \"text\" : \"mine: better than LRU at 1% (+10.0 points); 1st of 2\","
                + " \"results\" : [ { \"capacityBlocks\" : 100, \"comparedWithLru\" : \"better\","
                + " \"lead\" : 0.1, \"margin\" : 0.0, \"rank\" : 1, \"of\" : 2 } ] } ]");
  }

  private static int lru(int step) {
    return 50;
  }

  private String text() {
    return verdicts(Set.of("mine")).getFirst().text();
  }

  private List<CandidateVerdict> verdicts(Set<String> candidates) {
    return CandidateVerdict.of(report(), candidates);
  }

  private CandidateVerdictTest replay(String policy, long capacity, IntUnaryOperator hits) {
    runs.add(run(policy, capacity, hits, null));
    return this;
  }

  private ReplayReport report() {
    Map<Long, ReplayReport.Bounds> bounds = new HashMap<>();
    for (ReplayResult run : runs) {
      long capacity = run.capacityBlocks();
      bounds.put(
          capacity,
          new ReplayReport.Bounds(run("LRU", capacity, CandidateVerdictTest::lru, null), 0.99));
    }
    return new ReplayReport(
        "t",
        ReplayModel.PREFIX,
        steps,
        steps * 100L,
        10_000,
        16,
        0,
        List.of(),
        1,
        1,
        runs,
        bounds,
        null,
        0,
        null,
        null);
  }

  private ReplayResult run(
      String policy, long capacity, IntUnaryOperator hitsOf, @Nullable String failure) {
    List<ReplayResult.Step> series = new ArrayList<>();
    long hits = 0;
    for (int step = 0; step < steps; step++) {
      series.add(new ReplayResult.Step(hitsOf.applyAsInt(step), 100));
      hits += hitsOf.applyAsInt(step);
    }
    return new ReplayResult(
        "t",
        ReplayModel.PREFIX,
        policy,
        capacity,
        steps,
        steps * 100L,
        hits,
        hits,
        1,
        1,
        PrefillTokens.UNKNOWN,
        0,
        1_024,
        Double.NaN,
        0,
        0,
        0,
        0,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        1,
        series,
        1,
        failure,
        "",
        null,
        null,
        null);
  }
}

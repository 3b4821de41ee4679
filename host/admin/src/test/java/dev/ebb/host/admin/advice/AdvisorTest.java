package dev.ebb.host.admin.advice;

import static dev.ebb.host.admin.advice.Advice.Kind.DISK_OUT_OF_USE;
import static dev.ebb.host.admin.advice.Advice.Kind.POLICY_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.admin.advice.Facts.Problem;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.MemoryCurve;
import dev.ebb.host.shadow.MemoryCurve.Point;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules of advice, one second after the other. */
class AdvisorTest {

  private static final Instant START = Instant.parse("2026-11-29T12:00:00Z");
  private static final long GIB = 1L << 30;
  private static final int WINDOW = 60;

  private final Advisor advisor = new Advisor();

  /** What a test changes from one second to the next. */
  private static final class Counts {
    private long second;
    private long requested;
    private long elsewhere;
    private long evicted;
    private long premature;
    private long stored;
    private long rejected;
    private double heap = 0.5;
    private List<Point> curve = List.of();
    private List<ShadowReport> candidates = List.of();
    private List<Problem> problems = List.of();

    Facts facts() {
      return new Facts(
          START.plusSeconds(second),
          new Facts.Unit("chunks", 1),
          requested,
          elsewhere,
          evicted,
          premature,
          stored,
          rejected,
          heap,
          new Shadows.Report(1, START, "lru", GIB, candidates),
          new MemoryCurve.Report(1, START, "lru", GIB, curve, List.of()),
          problems);
    }
  }

  private List<Advice> seconds(Counts counts, int seconds, long evicted, long premature) {
    for (int i = 0; i < seconds; i++) {
      counts.second++;
      counts.requested += 1_000;
      counts.evicted += evicted;
      counts.premature += premature;
      advisor.take(counts.facts());
    }
    return advisor.advice();
  }

  private static List<Point> curve(double... ratios) {
    List<Point> points = new ArrayList<>();
    double[] factors = {0.25, 0.5, 1, 2, 4};
    for (int i = 0; i < ratios.length; i++) {
      double band = factors[i] == 1 ? 0 : 0.01;
      points.add(new Point(factors[i], ratios[i], ratios[i] - band, ratios[i] + band));
    }
    return points;
  }

  private static ShadowReport candidate(
      String policy, boolean active, double ratio, double low99, double live, boolean enough) {
    Estimate estimate =
        new Estimate(ratio, low99 + 0.001, ratio + 0.01, low99, live, 0, ratio, live);
    return new ShadowReport(
        policy,
        ShadowSpec.parse(policy, "policies"),
        active,
        ShadowReport.State.RUNNING,
        null,
        estimate,
        Map.of(),
        10_000,
        1_000,
        enough,
        100,
        0);
  }

  private static List<String> kinds(List<Advice> advice) {
    return advice.stream().map(Advice::kind).toList();
  }

  @Test
  void aHealthyServerIsNotAdvised() {
    assertThat(seconds(new Counts(), 120, 100, 5)).isEmpty();
  }

  @Test
  void whatAnotherTierServesIsNotComputedAgain() {
    Counts counts = new Counts();
    counts.curve = curve(0.2, 0.3, 0.4, 0.6, 0.7);
    List<Advice> advice = List.of();
    for (int i = 0; i < 120; i++) {
      counts.elsewhere += 600;
      advice = seconds(counts, 1, 500, 500);
    }
    assertThat(advice).isEmpty();

    for (int i = 0; i < 120; i++) {
      counts.elsewhere += 500;
      advice = seconds(counts, 1, 600, 600);
    }
    assertThat(advice)
        .singleElement()
        .satisfies(each -> {
          assertThat(each.text()).contains("100 chunks a second", "at most 10.0 points of hits");
          assertThat(each.gain()).isCloseTo(0.1, within(1e-9));
        });
  }

  @Test
  void aPoolTooSmallSaysWhatItCostsAndWhatMemoryBrings() {
    Counts counts = new Counts();
    counts.curve = curve(0.1, 0.15, 0.2, 0.31, 0.32);
    Advice advice = seconds(counts, 60, 400, 390).getFirst();

    assertThat(advice.kind()).isEqualTo("pool-too-small");
    assertThat(advice.since()).isEqualTo(START.plusSeconds(1).toString());
    assertThat(advice.text())
        .contains("97.5 %", "390 chunks a second", "2 GiB instead of 1 GiB", "11.0 points");
    assertThat(advice.gain()).isCloseTo(0.11, within(1e-9));
  }

  @Test
  void memoryThatBringsNothingIsNotAdvisedHoweverOftenValuesReturn() {
    Counts counts = new Counts();
    counts.curve = curve(0.1, 0.15, 0.2, 0.205, 0.21);
    assertThat(seconds(counts, 60, 400, 390)).isEmpty();
  }

  @Test
  void aFewEvictionsOrAShortTimeSayNothing() {
    Counts counts = new Counts();
    assertThat(seconds(counts, 10, 400, 400)).isEmpty();
    assertThat(seconds(new Counts(), 120, 1, 1)).isEmpty();
  }

  @Test
  void theBetterOfSeveralCandidatesIsAdvised() {
    Counts counts = new Counts();
    counts.candidates =
        List.of(
            candidate("lru", true, 0.5, 0.48, 0.5, true),
            candidate("lfu", false, 0.54, 0.52, 0.5, true),
            candidate("arc", false, 0.53, 0.52, 0.5, true),
            candidate("sieve", false, 0.9, 0.8, 0.5, false),
            candidate("lru@2x", false, 0.8, 0.7, 0.5, true));
    Advice advice = seconds(counts, 60, 0, 0).getFirst();

    assertThat(advice.policy()).isEqualTo("lfu");
    assertThat(advice.text()).contains("'lfu'", "4.0 points", "99 %", "40 chunks a second");
  }

  @Test
  void aCandidateWhoseLeadMayBeChanceIsNotAdvised() {
    Counts counts = new Counts();
    counts.candidates =
        List.of(
            candidate("lru", true, 0.51, 0.48, 0.5, true),
            // Surely above what is counted, not above the estimate of the active policy.
            candidate("lfu", false, 0.54, 0.512, 0.5, true));
    assertThat(seconds(counts, 60, 0, 0)).isEmpty();
  }

  @Test
  void failuresComeBeforeTheLargerGain() {
    Counts counts = new Counts();
    counts.curve = curve(0.1, 0.15, 0.2, 0.31, 0.32);
    counts.candidates =
        List.of(
            candidate("lru", true, 0.2, 0.18, 0.2, true),
            candidate("lfu", false, 0.4, 0.38, 0.2, true));
    counts.problems =
        List.of(
            new Problem(POLICY_FAILED, "policy", null),
            new Problem(DISK_OUT_OF_USE, "disk", START.minusSeconds(60)));
    assertThat(kinds(seconds(counts, 60, 400, 390)))
        .containsExactly("policy-failed", "disk-out-of-use", "better-policy", "pool-too-small");
    assertThat(advisor.advice().get(1).since()).isEqualTo(START.minusSeconds(60).toString());

    counts.problems = List.of();
    assertThat(kinds(seconds(counts, 1, 400, 390)))
        .containsExactly("better-policy", "pool-too-small");
    // A problem that comes again began now.
    counts.problems = List.of(new Problem(POLICY_FAILED, "policy", null));
    assertThat(seconds(counts, 1, 400, 390).getFirst().since())
        .isEqualTo(START.plusSeconds(counts.second).toString());
  }

  @Test
  void aHeapThatGarbageFillsForMomentsIsNoProblem() {
    Counts counts = new Counts();
    for (int i = 0; i < 200; i++) {
      counts.heap = i % 10 == 0 ? 0.5 : 0.99;
      assertThat(seconds(counts, 1, 0, 0)).isEmpty();
    }
    counts.heap = 0.96;
    assertThat(kinds(seconds(counts, 61, 0, 0))).containsExactly("heap-full");
    counts.heap = 0.92;
    assertThat(kinds(seconds(counts, 5, 0, 0))).containsExactly("heap-full");
    counts.heap = 0.8;
    assertThat(seconds(counts, 1, 0, 0)).isEmpty();
  }

  /** Shares of the last minute that wander, against a rule written over the whole past. */
  @Test
  void sharesFollowTheirBoundsLikeARuleOverThePast() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      Advisor tested = new Advisor();
      Counts counts = new Counts();
      List<long[]> past = new ArrayList<>();
      Instant small = null;
      Instant lost = null;
      double premature = 0;
      double rejected = 0;
      for (int i = 0; i < 600; i++) {
        if (i % 40 == 0) {
          premature = random.nextDouble() * 0.3;
          rejected = random.nextDouble() * 0.15;
        }
        counts.second += 1 + random.nextInt(2);
        int evictions = random.nextInt(i % 300 < 30 ? 2 : 50);
        counts.evicted += evictions;
        counts.premature += Math.round(evictions * premature);
        counts.stored += 20;
        counts.rejected += Math.round(20 * rejected);
        past.add(
            new long[] {
              counts.second, counts.evicted, counts.premature, counts.stored, counts.rejected
            });
        tested.take(counts.facts());

        small = expected(past, 2, 1, 0, 0.2, 0.1, small);
        lost = expected(past, 4, 3, 4, 0.1, 0.05, lost);
        assertThat(since(tested, "pool-too-small"))
            .as("seed %d, step %d", seed, i)
            .isEqualTo(small);
        assertThat(since(tested, "values-not-stored"))
            .as("seed %d, step %d", seed, i)
            .isEqualTo(lost);
      }
    }
  }

  private static @Nullable Instant since(Advisor advisor, String kind) {
    return advisor.advice().stream()
        .filter(each -> each.kind().equals(kind))
        .map(each -> Instant.parse(each.since()))
        .findFirst()
        .orElse(null);
  }

  /** {@code also} is a second part of the whole; 0, which is the time, for none. */
  private static @Nullable Instant expected(
      List<long[]> past,
      int part,
      int whole,
      int also,
      double give,
      double withdraw,
      @Nullable Instant before) {
    long[] now = past.getLast();
    long[] from =
        past.stream().filter(each -> now[0] - each[0] <= WINDOW).findFirst().orElseThrow();
    double some = now[part] - from[part];
    double all = now[whole] - from[whole] + (also == 0 ? 0 : now[also] - from[also]);
    boolean known = all >= 100 && now[0] - from[0] >= 20;
    boolean holds = known && some / all >= (before == null ? give : withdraw);
    return !holds ? null : before == null ? START.plusSeconds(now[0]) : before;
  }
}

package dev.ebb.host.replay;

import dev.ebb.host.replay.ReplayResult.GroupUse;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Made-up reports for tests of the page. */
final class ReplayHtmlSamples {

  static final String HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>";

  private static final int REQUESTS = 1_000;
  private static final int REFERENCES = 20_000;
  private static final int STEPS = 125;

  private ReplayHtmlSamples() {}

  /** One run of each policy at each capacity; better with capacity, and the later the policy. */
  static ReplayReport report(String trace, List<String> policies, List<Long> capacities) {
    List<ReplayResult> runs = new ArrayList<>();
    Map<Long, ReplayReport.Bounds> bounds = new HashMap<>();
    for (long capacity : capacities) {
      double lru = capacity / 10_000.0;
      bounds.put(
          capacity, new ReplayReport.Bounds(run(trace, "LRU", capacity, lru, null), lru + 0.5));
      for (int i = 0; i < policies.size(); i++) {
        runs.add(run(trace, policies.get(i), capacity, lru + i * 0.01, null));
      }
    }
    return report(trace, 5_000, runs, bounds);
  }

  /**
   * A stream, of which neither the optimum nor the distinct blocks are known, and one run failed.
   */
  static ReplayReport stream(String trace, String failure) {
    return report(
        trace,
        -1,
        List.of(run(trace, "lru", 100, 0.2, null), run(trace, "arc", 100, 0.1, failure)),
        Map.of());
  }

  /** A trace on which two policies do the same. */
  static ReplayReport twins(String trace) {
    return report(
        trace,
        5_000,
        List.of(
            run(trace, "mine", 100, 0.2, null),
            run(trace, "lru", 100, 0.2, null),
            run(trace, "arc", 100, 0.3, null)),
        Map.of());
  }

  /** A trace of a hybrid model; one run failed. */
  static ReplayReport hybrid(String trace) {
    return report(
        trace,
        5_000,
        List.of(
            run(trace, "lru", 100, 0.2, null, new GroupUse(List.of(75L, 225L), 4_321, 17)),
            run(trace, "arc", 100, 0.1, "it threw")),
        Map.of());
  }

  /** A trace replayed with three seeds, of which one policy depends. */
  static ReplayReport seeds(String trace) {
    return report(
        trace,
        5_000,
        List.of(
            SeedMean.ofRuns(
                List.of(
                    run(trace, "mine", 100, 0.19, null),
                    run(trace, "mine", 100, 0.20, null),
                    run(trace, "mine", 100, 0.21, null))),
            SeedMean.ofRuns(Collections.nCopies(3, run(trace, "lru", 100, 0.2, null)))),
        Map.of());
  }

  /** One on which two policies tie, and a third has a single hit less. */
  static ReplayReport hairsBreadth(String trace) {
    double less = 0.2 - 1.0 / REFERENCES;
    return report(
        trace,
        5_000,
        List.of(
            run(trace, "arc", 100, less, null),
            run(trace, "lru", 100, 0.2, null),
            run(trace, "mine", 100, 0.2, null),
            run(trace, "arc", 200, 0.4, null),
            run(trace, "lru", 200, 0.3, null),
            run(trace, "mine", 200, 0.1, null)),
        Map.of(
            100L,
            new ReplayReport.Bounds(run(trace, "LRU", 100, 0.2, null), 0.25),
            200L,
            new ReplayReport.Bounds(run(trace, "LRU", 200, 0.3, null), 0.41)));
  }

  /** A trace whose requests ask for no block. */
  static ReplayReport empty(String trace) {
    ReplayResult run =
        new ReplayResult(
            trace,
            ReplayModel.PREFIX,
            "lru",
            1,
            1,
            0,
            0,
            0,
            30,
            0,
            PrefillTokens.UNKNOWN,
            Double.NaN,
            1_024,
            Double.NaN,
            0,
            0,
            0,
            0,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            0,
            List.of(),
            1,
            null,
            "",
            null,
            null,
            null);
    return new ReplayReport(
        trace,
        ReplayModel.PREFIX,
        1,
        0,
        0,
        16,
        0,
        List.of(),
        1,
        1,
        List.of(run),
        Map.of(),
        null,
        0,
        null,
        null);
  }

  private static ReplayReport report(
      String trace, long distinct, List<ReplayResult> runs, Map<Long, ReplayReport.Bounds> bounds) {
    return new ReplayReport(
        trace,
        ReplayModel.PREFIX,
        REQUESTS,
        REFERENCES,
        distinct,
        16,
        0,
        List.of(),
        1_000_000,
        1_000_000,
        runs,
        bounds,
        null,
        0,
        null,
        null);
  }

  private static ReplayResult run(
      String trace, String policy, long capacity, double hitRatio, @Nullable String failure) {
    return run(trace, policy, capacity, hitRatio, failure, null);
  }

  private static ReplayResult run(
      String trace,
      String policy,
      long capacity,
      double hitRatio,
      @Nullable String failure,
      @Nullable GroupUse groups) {
    long hits = Math.round(hitRatio * REFERENCES);
    List<ReplayResult.Step> series = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      double ratio = hitRatio * (1 + Math.sin(i / 9.0) / 4);
      series.add(
          i == 3
              ? new ReplayResult.Step(0, 0)
              : new ReplayResult.Step(Math.round(ratio * 160), 160));
    }
    return new ReplayResult(
        trace,
        ReplayModel.PREFIX,
        policy,
        capacity,
        REQUESTS,
        REFERENCES,
        hits,
        hits,
        REFERENCES * 16L,
        hits * 16,
        new PrefillTokens(480, 1_900, 4_000),
        0.1,
        capacity,
        Double.NaN,
        REFERENCES - hits,
        3,
        0,
        0,
        40.5,
        120.25,
        2_500_000,
        3_000_000,
        series,
        REQUESTS / STEPS,
        failure,
        "",
        null,
        groups,
        null);
  }
}

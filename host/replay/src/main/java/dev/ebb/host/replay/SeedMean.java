package dev.ebb.host.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Combines the results of several seeds: the mean of each number, and the spread. */
final class SeedMean {

  private SeedMean() {}

  /**
   * Combines reports on traces that differ only in the seed.
   *
   * @param reports at least one, with the same policies and capacities in the same order
   */
  static ReplayReport ofReports(List<ReplayReport> reports) {
    ReplayReport first = reports.getFirst();
    if (reports.size() == 1) {
      return first;
    }
    List<ReplayResult> runs = new ArrayList<>();
    for (int i = 0; i < first.runs().size(); i++) {
      int run = i;
      runs.add(ofRuns(reports.stream().map(report -> report.runs().get(run)).toList()));
    }
    return RecordMean.of(
        ReplayReport.class, reports, Map.of("runs", runs, "bounds", bounds(reports)));
  }

  private static Map<Long, ReplayReport.Bounds> bounds(List<ReplayReport> reports) {
    Map<Long, ReplayReport.Bounds> means = new HashMap<>();
    for (long capacity : reports.getFirst().bounds().keySet()) {
      List<ReplayReport.Bounds> all =
          reports.stream()
              .map(report -> Objects.requireNonNull(report.bounds().get(capacity)))
              .toList();
      means.put(
          capacity,
          new ReplayReport.Bounds(
              ofRuns(all.stream().map(ReplayReport.Bounds::leastRecentlyUsed).toList()),
              all.stream().mapToDouble(ReplayReport.Bounds::optimum).average().orElseThrow()));
    }
    return means;
  }

  /**
   * Combines the runs of one policy at one capacity.
   *
   * @param runs one for each seed, at least one
   * @return the means; the first failed run if there is one
   */
  static ReplayResult ofRuns(List<ReplayResult> runs) {
    ReplayResult first = runs.getFirst();
    if (runs.size() == 1) {
      return first;
    }
    for (ReplayResult run : runs) {
      if (run.failure() != null) {
        return run;
      }
    }
    return RecordMean.of(
        ReplayResult.class,
        runs,
        Map.of(
            "slowestNanos",
            runs.stream().mapToDouble(ReplayResult::slowestNanos).max().orElseThrow(),
            "series",
            series(runs),
            "spread",
            SeedSpread.of(runs)));
  }

  /** Adds the steps up, so that each has the ratio of all seeds. */
  private static List<ReplayResult.Step> series(List<ReplayResult> runs) {
    int steps = runs.stream().mapToInt(run -> run.series().size()).min().orElse(0);
    List<ReplayResult.Step> sums = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      long hits = 0;
      long references = 0;
      for (ReplayResult run : runs) {
        hits += run.series().get(i).hits();
        references += run.series().get(i).references();
      }
      sums.add(new ReplayResult.Step(hits, references));
    }
    return sums;
  }
}

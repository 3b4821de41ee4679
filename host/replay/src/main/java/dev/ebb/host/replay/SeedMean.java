package dev.ebb.host.replay;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.replay.ReplayResult.GroupUse;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import dev.ebb.host.replay.tiers.TierUse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
    return new ReplayReport(
        first.trace(),
        first.model(),
        count(reports, ReplayReport::requests),
        count(reports, ReplayReport::references),
        count(reports, ReplayReport::distinctBlocks),
        first.blockTokens(),
        first.skippedLines(),
        first.skippedReasons(),
        count(reports, ReplayReport::decodeNanos),
        count(reports, ReplayReport::decodeBytes),
        runs,
        bounds(reports),
        null,
        first.lookahead(),
        first.groups(),
        first.blockTokensDoubt());
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
              mean(all, ReplayReport.Bounds::optimum)));
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
    return new ReplayResult(
        first.trace(),
        first.model(),
        first.policy(),
        first.capacityBlocks(),
        count(runs, ReplayResult::requests),
        count(runs, ReplayResult::references),
        count(runs, ReplayResult::hits),
        count(runs, ReplayResult::prefixHitBlocks),
        count(runs, ReplayResult::requestTokens),
        count(runs, ReplayResult::prefixHitTokens),
        new PrefillTokens(
            count(runs, run -> run.prefill().p50()),
            count(runs, run -> run.prefill().p95()),
            count(runs, run -> run.prefill().p99())),
        mean(runs, ReplayResult::rePrefillRate),
        first.rePrefillWindow(),
        mean(runs, ReplayResult::fairness),
        count(runs, ReplayResult::evictions),
        count(runs, ReplayResult::refusals),
        count(runs, ReplayResult::notAdmittedBlocks),
        count(runs, ReplayResult::rejectedBlocks),
        mean(runs, ReplayResult::nanosPerAccess),
        mean(runs, ReplayResult::nanosPerVictim),
        runs.stream().mapToDouble(ReplayResult::slowestNanos).max().orElse(Double.NaN),
        mean(runs, ReplayResult::referencesPerSecond),
        series(runs),
        first.requestsPerStep(),
        null,
        "",
        SeedSpread.of(runs),
        groups(runs),
        first.tiers() == null
            ? null
            : TierUse.mean(runs.stream().map(run -> requireNonNull(run.tiers())).toList()));
  }

  private static @Nullable GroupUse groups(List<ReplayResult> runs) {
    List<GroupUse> all = runs.stream().map(ReplayResult::groups).filter(Objects::nonNull).toList();
    return all.isEmpty()
        ? null
        : new GroupUse(
            IntStream.range(0, all.getFirst().blocks().size())
                .mapToObj(group -> count(all, use -> use.blocks().get(group)))
                .toList(),
            count(all, GroupUse::thinned),
            count(all, GroupUse::unusableBlocks));
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

  private static <T> long count(List<T> all, ToLongFunction<T> value) {
    return Math.round(mean(all, each -> (double) value.applyAsLong(each)));
  }

  private static <T> double mean(List<T> all, ToDoubleFunction<T> value) {
    return all.stream().mapToDouble(value).average().orElse(Double.NaN);
  }
}

package dev.ebb.host.replay.suite;

import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.ReplayResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ranks policies over the reports of a suite. */
public final class SuiteRanking {

  /** The result of one policy in one case. */
  private record Case(
      String trace, ReplayResult run, double rank, boolean won, double lru, double optimum) {

    double gain() {
      return run.hitRatio() - lru;
    }
  }

  private SuiteRanking() {}

  /**
   * Ranks the policies.
   *
   * @param reports one for each trace; those of failed traces are ignored
   * @return best first: policies that never failed, by mean rank, then the others
   */
  public static List<Rank> of(List<ReplayReport> reports) {
    List<Case> cases = new ArrayList<>();
    for (ReplayReport report : reports) {
      report.capacities().forEach(capacity -> cases.addAll(cases(report, capacity)));
    }
    Map<String, List<Case>> byPolicy =
        cases.stream()
            .collect(
                Collectors.groupingBy(
                    each -> each.run().policy(), LinkedHashMap::new, Collectors.toList()));
    List<Rank> unplaced = new ArrayList<>();
    byPolicy.forEach((policy, its) -> unplaced.add(rank(policy, 0, its)));
    unplaced.sort(
        Comparator.comparing((Rank rank) -> rank.failures() > 0)
            .thenComparingDouble(Rank::meanRank)
            .thenComparing(Comparator.comparingDouble(Rank::hitRatio).reversed()));
    List<Rank> ranked = new ArrayList<>();
    for (Rank each : unplaced) {
      // The same place as the one before it if they tie.
      int place =
          !ranked.isEmpty() && ties(ranked.getLast(), each)
              ? ranked.getLast().rank()
              : ranked.size() + 1;
      ranked.add(rank(each.policy(), place, byPolicy.getOrDefault(each.policy(), List.of())));
    }
    return ranked;
  }

  private static boolean ties(Rank one, Rank other) {
    return one.meanRank() == other.meanRank() && (one.failures() > 0) == (other.failures() > 0);
  }

  private static List<Case> cases(ReplayReport report, long capacity) {
    List<ReplayResult> runs = report.at(capacity);
    ReplayReport.Bounds bounds = report.bounds().get(capacity);
    double lru = bounds == null ? Double.NaN : bounds.leastRecentlyUsed().hitRatio();
    double optimum = bounds == null ? Double.NaN : bounds.optimum();
    List<ReplayResult> best = report.best(capacity);
    return runs.stream()
        .map(run ->
            new Case(report.trace(), run, place(run, runs), best.contains(run), lru, optimum))
        .toList();
  }

  /** The mean of the places that the tied runs share; failed runs share the last ones. */
  private static double place(ReplayResult run, List<ReplayResult> all) {
    long before = all.stream().filter(other -> score(other) > score(run)).count();
    long tied = all.stream().filter(other -> score(other) == score(run)).count();
    return before + (tied + 1) / 2.0;
  }

  private static double score(ReplayResult run) {
    return Double.isNaN(run.hitRatio()) ? -1 : run.hitRatio();
  }

  private static Rank rank(String policy, int place, List<Case> cases) {
    List<Case> good = cases.stream().filter(each -> each.run().failure() == null).toList();
    return new Rank(
        policy,
        place,
        mean(cases, Case::rank),
        (int) cases.stream().filter(Case::won).count(),
        cases.size(),
        cases.size() - good.size(),
        mean(good, each -> each.run().hitRatio()),
        mean(good, Case::gain),
        gapClosed(good),
        worst(good),
        cases.stream().map(Case::trace).distinct().map(trace -> share(trace, cases)).toList());
  }

  private static Rank.TraceShare share(String trace, List<Case> all) {
    List<Case> cases = all.stream().filter(each -> each.trace().equals(trace)).toList();
    List<Case> good = cases.stream().filter(each -> each.run().failure() == null).toList();
    return new Rank.TraceShare(
        trace, mean(cases, Case::rank), mean(good, Case::gain), gapClosed(good));
  }

  /** A ratio of sums: a case with a tiny gap, where the ratio means little, has little weight. */
  private static double gapClosed(List<Case> cases) {
    double gain = cases.stream().mapToDouble(Case::gain).sum();
    double gap = cases.stream().mapToDouble(each -> each.optimum() - each.lru()).sum();
    return gap > 0 ? gain / gap : Double.NaN;
  }

  private static Rank.@Nullable Worst worst(List<Case> cases) {
    return cases.stream()
        .filter(each -> !Double.isNaN(each.gain()))
        .min(Comparator.comparingDouble(Case::gain))
        .map(each -> new Rank.Worst(each.trace(), each.run().capacityBlocks(), each.gain()))
        .orElse(null);
  }

  private static double mean(List<Case> cases, ToDoubleFunction<Case> value) {
    return cases.stream().mapToDouble(value).average().orElse(Double.NaN);
  }

  /**
   * The place of a policy over all traces and capacities of a suite. A case is one capacity of one
   * trace.
   *
   * @param meanRank mean of its rank in each case; tied policies share the mean of their places
   * @param wins cases in which no policy has more hits
   * @param gain mean hit ratio less that of LRU; NaN if not known
   * @param gapClosed share of the gap between LRU and the optimum that it closes over all cases,
   *     which have the same weight; NaN if not known
   * @param worst the case with the largest loss to LRU, null if not known
   * @param traces the same for each trace
   */
  public record Rank(
      String policy,
      int rank,
      double meanRank,
      int wins,
      int cases,
      int failures,
      double hitRatio,
      double gain,
      double gapClosed,
      @Nullable Worst worst,
      List<TraceShare> traces) {

    public Rank {
      traces = List.copyOf(traces);
    }

    /** The case in which a policy is worst compared with LRU. */
    public record Worst(String trace, long capacityBlocks, double gain) {}

    /** The part of one trace. */
    public record TraceShare(String trace, double meanRank, double gain, double gapClosed) {}
  }
}

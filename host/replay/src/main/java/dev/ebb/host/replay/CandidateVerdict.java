package dev.ebb.host.replay;

import dev.ebb.host.replay.CandidateVerdict.Result.LruComparison;
import dev.ebb.host.statistics.Difference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The verdict on a candidate on one trace.
 *
 * @param results its results, by capacity
 * @param text the same in a sentence, without a full stop
 */
public record CandidateVerdict(String policy, List<Result> results, String text) {

  public CandidateVerdict {
    results = List.copyOf(results);
  }

  /**
   * Returns the verdicts of one trace.
   *
   * @return one for each that was replayed beside LRU, in the order of the runs; none for a stream
   */
  public static List<CandidateVerdict> of(ReplayReport report, Collection<String> candidates) {
    return report.runs().stream()
        .map(ReplayResult::policy)
        .distinct()
        .filter(candidates::contains)
        .map(policy -> of(report, policy))
        .filter(verdict -> !verdict.results().isEmpty())
        .toList();
  }

  private static CandidateVerdict of(ReplayReport report, String policy) {
    List<Result> results = new ArrayList<>();
    for (long capacity : report.capacities()) {
      ReplayReport.Bounds bounds = report.bounds().get(capacity);
      if (bounds != null) {
        report.at(capacity).stream()
            .filter(run -> run.policy().equals(policy))
            .map(run -> Result.of(report, run, bounds.leastRecentlyUsed()))
            .forEach(results::add);
      }
    }
    return new CandidateVerdict(
        policy, results, new VerdictSentence(report, policy, results).text());
  }

  /** Returns whether it is better than LRU at one capacity. */
  public boolean better() {
    return results.stream().anyMatch(result -> result.comparedWithLru() == LruComparison.BETTER);
  }

  /**
   * The result of a candidate at one capacity: compared with LRU, and its rank.
   *
   * @param lead its hit ratio less LRU's; NaN if its run failed
   * @param rank 1 for the best; equal for ties; -1 if its run failed
   */
  public record Result(
      long capacityBlocks, LruComparison comparedWithLru, Difference lead, int rank, int of) {

    /**
     * The number of parts of the trace that are compared one by one. Few, so that each is long, and
     * the cache content from the previous part matters little.
     */
    private static final int SLICES = 16;

    /** A comparison with LRU. */
    public enum LruComparison {
      BETTER,
      /** As many hits. */
      EQUAL,
      /** Some hits more or less, which may be chance. */
      UNCLEAR,
      /** Fewer hits, and more than chance. */
      WORSE,
      /** Its run failed. */
      FAILED;

      /** Returns the name in JSON, in lower case. */
      public String label() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    static Result of(ReplayReport report, ReplayResult run, ReplayResult lru) {
      List<ReplayResult> all = report.at(run.capacityBlocks());
      if (run.failure() != null) {
        Difference unknown = new Difference(Double.NaN, Double.NaN);
        return new Result(run.capacityBlocks(), LruComparison.FAILED, unknown, -1, all.size());
      }
      Difference lead = lead(run, lru);
      long before =
          all.stream()
              .filter(other -> other.failure() == null && other.hits() > run.hits())
              .count();
      return new Result(
          run.capacityBlocks(),
          comparedWithLru(run.hits() - lru.hits(), lead),
          lead,
          (int) before + 1,
          all.size());
    }

    private static LruComparison comparedWithLru(long hits, Difference lead) {
      if (hits == 0) {
        return LruComparison.EQUAL;
      }
      if (!lead.moreThanChance()) {
        return LruComparison.UNCLEAR;
      }
      return hits > 0 ? LruComparison.BETTER : LruComparison.WORSE;
    }

    /** Compares slice by slice: both runs saw the same requests in the same steps. */
    private static Difference lead(ReplayResult run, ReplayResult lru) {
      int steps = run.series().size();
      int slices = steps < SLICES ? 1 : SLICES;
      double[] gains = new double[slices];
      double[] sizes = new double[slices];
      for (int step = 0; step < steps; step++) {
        int slice = step * slices / steps;
        gains[slice] += run.series().get(step).hits() - lru.series().get(step).hits();
        sizes[slice] += run.series().get(step).references();
      }
      return Difference.of(gains, sizes);
    }
  }
}

package dev.ebb.host.replay;

import dev.ebb.host.replay.CandidateResult.LruComparison;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The verdict on a candidate on one trace.
 *
 * @param results its results, by capacity
 * @param text the same in a sentence, without a full stop
 */
public record CandidateVerdict(String policy, List<CandidateResult> results, String text) {

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
    List<CandidateResult> results = new ArrayList<>();
    for (long capacity : report.capacities()) {
      ReplayReport.Bounds bounds = report.bounds().get(capacity);
      if (bounds != null) {
        report.at(capacity).stream()
            .filter(run -> run.policy().equals(policy))
            .map(run -> CandidateResult.of(report, run, bounds.leastRecentlyUsed()))
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
}

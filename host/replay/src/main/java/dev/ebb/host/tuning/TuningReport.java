package dev.ebb.host.tuning;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.statistics.Difference;
import dev.ebb.host.units.Plural;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The results of all combinations of settings.
 *
 * @param results best in the first half of the traces first; of equals in the order of the trials,
 *     and failed ones last
 * @param lru the result of the host's own LRU
 */
public record TuningReport(List<Result> results, Result lru) {

  /** The fewest requests of a trace: 16 for each half. */
  public static final int FEWEST_REQUESTS = 32;

  public TuningReport {
    results = List.copyOf(results);
  }

  /**
   * Returns the report on replays of all trials.
   *
   * @param trials the current settings first
   * @param reports one for each trace, with the policies of the trials
   * @throws UserError if a trace is too short, or could not be replayed
   */
  public static TuningReport of(List<TuningGrid.Trial> trials, List<ReplayReport> reports) {
    reports.forEach(TuningReport::check);
    List<ReplayResult> current = runs(trials.getFirst(), reports);
    List<Result> results =
        trials.stream()
            .map(trial -> Result.of(trial, runs(trial, reports), current))
            .sorted(
                Comparator.comparingDouble(
                    result -> result.failure() == null ? -result.firstHalf() : 2))
            .toList();
    List<ReplayResult> lru =
        reports.stream()
            .flatMap(report ->
                report.capacities().stream()
                    .flatMap(
                        capacity -> Optional.ofNullable(report.bounds().get(capacity)).stream()))
            .map(ReplayReport.Bounds::leastRecentlyUsed)
            .toList();
    return new TuningReport(results, Result.of(trials.getFirst(), lru, current));
  }

  private static void check(ReplayReport report) {
    if (report.failure() != null) {
      throw new UserError(report.failure());
    }
    if (report.requests() < FEWEST_REQUESTS) {
      throw new UserError(
          "'%s' has %s, and must have at least %d: settings are chosen on its first half, and checked on its second"
              .formatted(
                  report.trace(),
                  Plural.of(report.requests(), "request", "requests"),
                  FEWEST_REQUESTS));
    }
  }

  private static List<ReplayResult> runs(TuningGrid.Trial trial, List<ReplayReport> reports) {
    return reports.stream()
        .flatMap(report -> report.runs().stream())
        .filter(run -> run.policy().equals(trial.spec().display()))
        .toList();
  }

  /** Returns the best combination in the first half; empty if all failed. */
  public Optional<Result> best() {
    return results.stream().findFirst().filter(result -> result.failure() == null);
  }

  /** Returns the rank of a result: 1 for the best, equal for ties. */
  public int rank(Result result) {
    return 1
        + (int)
            results.stream()
                .filter(other -> other.failure() == null && other.firstHalf() > result.firstHalf())
                .count();
  }

  /**
   * Returns the combination to use: the best one if it is better than the current settings in the
   * second half too, by more than chance. Empty if the current settings should stay.
   */
  public Optional<Result> recommended() {
    return best()
        .filter(result -> !result.trial().isCurrent())
        .filter(result -> result.gain().points() > 0 && result.gain().moreThanChance());
  }

  /**
   * The result of one combination of settings, over all traces and capacities.
   *
   * @param firstHalf hit ratio in the first half of the traces, by which combinations are ranked
   * @param secondHalf hit ratio in the second half, which had no part in the choice
   * @param gain hit ratio in the second half less that of the current settings; NaN if either
   *     failed
   * @param parts the same for each trace and capacity
   * @param failure why a run ended early, null if none did
   */
  public record Result(
      TuningGrid.Trial trial,
      double firstHalf,
      double secondHalf,
      Difference gain,
      List<Part> parts,
      @Nullable String failure) {

    private static final Difference UNKNOWN = new Difference(Double.NaN, Double.NaN);

    public Result {
      parts = List.copyOf(parts);
    }

    /** The hit ratios on one trace at one capacity. */
    public record Part(String trace, long capacityBlocks, double firstHalf, double secondHalf) {}

    static Result of(
        TuningGrid.Trial trial, List<ReplayResult> runs, List<ReplayResult> currentRuns) {
      String failure =
          runs.stream()
              .map(ReplayResult::failure)
              .filter(each -> each != null)
              .findFirst()
              .orElse(null);
      if (failure != null) {
        return new Result(trial, Double.NaN, Double.NaN, UNKNOWN, List.of(), failure);
      }
      TraceHalves all = TraceHalves.of(runs);
      boolean comparable = currentRuns.stream().allMatch(run -> run.failure() == null);
      return new Result(
          trial,
          all.first(),
          all.second(),
          comparable ? all.gain(TraceHalves.of(currentRuns)) : UNKNOWN,
          runs.stream().map(Result::part).toList(),
          null);
    }

    private static Part part(ReplayResult run) {
      TraceHalves halves = TraceHalves.of(List.of(run));
      return new Part(run.trace(), run.capacityBlocks(), halves.first(), halves.second());
    }
  }
}

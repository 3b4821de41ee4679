package dev.ebb.host.tuning;

import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.statistics.Difference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one combination of settings, over all traces and capacities.
 *
 * @param firstHalf hit ratio in the first half of the traces, by which combinations are ranked
 * @param secondHalf hit ratio in the second half, which had no part in the choice
 * @param gain hit ratio in the second half less that of the current settings; NaN if either failed
 * @param parts the same for each trace and capacity
 * @param failure why a run ended early, null if none did
 */
public record TuningResult(
    TuningTrial trial,
    double firstHalf,
    double secondHalf,
    Difference gain,
    List<Part> parts,
    @Nullable String failure) {

  private static final Difference UNKNOWN = new Difference(Double.NaN, Double.NaN);

  public TuningResult {
    parts = List.copyOf(parts);
  }

  /** The hit ratios on one trace at one capacity. */
  public record Part(String trace, long capacityBlocks, double firstHalf, double secondHalf) {}

  static TuningResult of(
      TuningTrial trial, List<ReplayResult> runs, List<ReplayResult> currentRuns) {
    String failure =
        runs.stream()
            .map(ReplayResult::failure)
            .filter(each -> each != null)
            .findFirst()
            .orElse(null);
    if (failure != null) {
      return new TuningResult(trial, Double.NaN, Double.NaN, UNKNOWN, List.of(), failure);
    }
    TraceHalves all = TraceHalves.of(runs);
    boolean comparable = currentRuns.stream().allMatch(run -> run.failure() == null);
    return new TuningResult(
        trial,
        all.first(),
        all.second(),
        comparable ? all.gain(TraceHalves.of(currentRuns)) : UNKNOWN,
        runs.stream().map(TuningResult::part).toList(),
        null);
  }

  private static Part part(ReplayResult run) {
    TraceHalves halves = TraceHalves.of(List.of(run));
    return new Part(run.trace(), run.capacityBlocks(), halves.first(), halves.second());
  }
}

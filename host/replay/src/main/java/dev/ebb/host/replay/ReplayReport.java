package dev.ebb.host.replay;

import dev.ebb.host.group.SizedGroups;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The report on replaying one trace.
 *
 * @param distinctBlocks different blocks among them, -1 if not known
 * @param skippedLines malformed lines left out
 * @param skippedReasons the problems of the first of them
 * @param runs one result for each policy and capacity, by capacity
 * @param bounds the bounds at each capacity; empty for a stream, or if they were not wanted
 * @param failure why the trace could not be replayed, null if it was; then nothing else is known
 * @param lookahead how many requests counted as waiting behind the one that was served
 * @param groups the object groups of a hybrid model; null for a model with one. A block is a whole
 *     chunk then, and no policy can exceed the optimum of full attention alone
 * @param blockTokensDoubt why the number of tokens of a block may be wrong; null if it is not
 */
public record ReplayReport(
    String trace,
    ReplayModel model,
    long requests,
    long references,
    long distinctBlocks,
    int blockTokens,
    long skippedLines,
    List<String> skippedReasons,
    long decodeNanos,
    long decodeBytes,
    List<ReplayResult> runs,
    Map<Long, Bounds> bounds,
    @Nullable String failure,
    int lookahead,
    @Nullable SizedGroups groups,
    @Nullable String blockTokensDoubt) {

  public ReplayReport {
    skippedReasons = List.copyOf(skippedReasons);
    runs = List.copyOf(runs);
    bounds = Map.copyOf(bounds);
  }

  /** Returns the report, without numbers and runs, of a trace that could not be replayed. */
  public static ReplayReport failed(String trace, ReplayModel model, String failure) {
    return new ReplayReport(
        trace, model, -1, -1, -1, -1, 0, List.of(), 0, 0, List.of(), Map.of(), failure, 0, null,
        null);
  }

  /**
   * The bounds at one capacity.
   *
   * @param leastRecentlyUsed the run of the host's own order
   * @param optimum hit ratio that no policy can exceed, 0 to 1
   */
  public record Bounds(ReplayResult leastRecentlyUsed, double optimum) {}

  /** Returns whether the trace was replayed by every policy to its end. */
  public boolean succeeded() {
    return failure == null && runs.stream().allMatch(run -> run.failure() == null);
  }

  /** Returns the capacities replayed: blocks, ascending. */
  public List<Long> capacities() {
    return runs.stream().map(ReplayResult::capacityBlocks).distinct().sorted().toList();
  }

  /** Returns the runs at one capacity, best first; failed runs last. */
  public List<ReplayResult> at(long capacityBlocks) {
    return runs.stream()
        .filter(run -> run.capacityBlocks() == capacityBlocks)
        .sorted(Comparator.comparingDouble(run -> run.failure() == null ? -run.hitRatio() : 2))
        .toList();
  }

  /** Returns the best runs at one capacity: several if they tie, none if all failed. */
  public List<ReplayResult> best(long capacityBlocks) {
    List<ReplayResult> succeeded =
        at(capacityBlocks).stream().filter(run -> run.failure() == null).toList();
    return succeeded.stream()
        .filter(run -> run.hitRatio() >= succeeded.getFirst().hitRatio())
        .toList();
  }

  /** Returns the highest possible hit ratio at one capacity: 0 to 1, NaN if not known. */
  public double optimum(long capacityBlocks) {
    Bounds known = bounds.get(capacityBlocks);
    return known == null ? Double.NaN : known.optimum();
  }

  /**
   * Returns the share of the gap between LRU and the optimum that a policy closes: 1 for the
   * optimum, 0 for LRU, negative if worse; NaN if not known or there is no gap.
   */
  public double gapClosed(ReplayResult run) {
    Bounds known = bounds.get(run.capacityBlocks());
    if (known == null) {
      return Double.NaN;
    }
    double lru = known.leastRecentlyUsed().hitRatio();
    return known.optimum() <= lru ? Double.NaN : (run.hitRatio() - lru) / (known.optimum() - lru);
  }
}

package dev.ebb.host.replay;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of replaying one trace.
 *
 * @param trace the trace's name
 * @param model what an id stood for
 * @param requests requests replayed
 * @param references blocks asked for
 * @param distinctBlocks different blocks among them, -1 if not known
 * @param blockTokens tokens in a full block
 * @param skippedLines malformed lines left out
 * @param skippedReasons what was wrong with the first of them
 * @param decodeNanos time spent reading the trace
 * @param decodeBytes bytes of text read
 * @param runs one result for each policy and capacity, by capacity
 * @param bounds what is possible at each capacity; empty for a stream
 * @param failure why the trace could not be replayed, null if it was; then nothing else is known
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
    @Nullable String failure) {

  /** Copies the collections. */
  public ReplayReport {
    skippedReasons = List.copyOf(skippedReasons);
    runs = List.copyOf(runs);
    bounds = Map.copyOf(bounds);
  }

  /**
   * The report of a trace that could not be replayed.
   *
   * @param trace the trace's name
   * @param model what an id stood for
   * @param failure why
   * @return a report without numbers and runs
   */
  public static ReplayReport failed(String trace, ReplayModel model, String failure) {
    return new ReplayReport(
        trace, model, -1, -1, -1, -1, 0, List.of(), 0, 0, List.of(), Map.of(), failure);
  }

  /**
   * What is possible at one capacity.
   *
   * @param leastRecentlyUsed the run of the host's own order
   * @param optimum hit ratio that no policy can pass, 0 to 1
   */
  public record Bounds(ReplayResult leastRecentlyUsed, double optimum) {}

  /**
   * Whether the trace was replayed, and every policy came to its end.
   *
   * @return false if something failed
   */
  public boolean succeeded() {
    return failure == null && runs.stream().allMatch(run -> run.failure() == null);
  }

  /**
   * The capacities replayed.
   *
   * @return blocks, ascending
   */
  public List<Long> capacities() {
    return runs.stream().map(ReplayResult::capacityBlocks).distinct().sorted().toList();
  }

  /**
   * The runs at one capacity, best first; failed runs last.
   *
   * @param capacityBlocks the capacity
   * @return the runs
   */
  public List<ReplayResult> at(long capacityBlocks) {
    return runs.stream()
        .filter(run -> run.capacityBlocks() == capacityBlocks)
        .sorted(Comparator.comparingDouble(run -> run.failure() == null ? -run.hitRatio() : 2))
        .toList();
  }

  /**
   * The best policies at one capacity.
   *
   * @param capacityBlocks the capacity
   * @return the runs with the highest hit ratio: several if they tie, none if all failed
   */
  public List<ReplayResult> best(long capacityBlocks) {
    List<ReplayResult> succeeded =
        at(capacityBlocks).stream().filter(run -> run.failure() == null).toList();
    return succeeded.stream()
        .filter(run -> run.hitRatio() >= succeeded.getFirst().hitRatio())
        .toList();
  }

  /**
   * The highest hit ratio that is possible at one capacity.
   *
   * @param capacityBlocks the capacity
   * @return 0 to 1, NaN if not known
   */
  public double optimum(long capacityBlocks) {
    Bounds known = bounds.get(capacityBlocks);
    return known == null ? Double.NaN : known.optimum();
  }

  /**
   * How much of the way from LRU to the optimum a policy goes.
   *
   * @param run one of the runs
   * @return 1 for the optimum, 0 for LRU, negative if worse; NaN if not known or there is no way to
   *     go
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

package dev.ebb.host.replay.suite;

import java.util.List;
import org.jspecify.annotations.Nullable;

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
public record SuiteRank(
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

  public SuiteRank {
    traces = List.copyOf(traces);
  }

  /** The case in which a policy is worst compared with LRU. */
  public record Worst(String trace, long capacityBlocks, double gain) {}

  /** The part of one trace. */
  public record TraceShare(String trace, double meanRank, double gain, double gapClosed) {}
}

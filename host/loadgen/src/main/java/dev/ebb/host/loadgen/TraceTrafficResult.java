package dev.ebb.host.loadgen;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a client of a server got for the requests of a trace.
 *
 * @param server where it runs
 * @param requests requests of the trace that were sent
 * @param chunks chunks in these requests
 * @param hits chunks that could be used, because they and all before them were read
 * @param lost chunks that a lookup found and a read did not
 * @param wrong values that were not those stored
 * @param errors error replies
 * @param firstError the first of them; null if there is none
 * @param skippedLines malformed lines of the trace that were left out
 * @param skippedReasons the problems of the first of them
 * @param seconds duration
 * @param distinct different chunks in the requests
 * @param resident chunks of which the server had the values of all ranks at the end
 * @param split chunks of which it had some of them
 * @param unreachable those of them that have a predecessor the server did not have
 * @param latencies of whole requests, in nanoseconds
 */
public record TraceTrafficResult(
    String server,
    long requests,
    long chunks,
    long hits,
    long lost,
    long wrong,
    long errors,
    @Nullable String firstError,
    long skippedLines,
    List<String> skippedReasons,
    double seconds,
    long distinct,
    long resident,
    long split,
    long unreachable,
    Histogram latencies) {

  /**
   * Returns the prefix hit ratio, in chunks.
   *
   * @return 0 to 1; NaN if the trace has no chunks
   */
  public double hitRatio() {
    return chunks == 0 ? Double.NaN : (double) hits / chunks;
  }

  /**
   * Returns the share of the resident chunks that no request can use.
   *
   * @return 0 to 1
   */
  public double unreachableShare() {
    return resident == 0 ? 0 : (double) unreachable / resident;
  }

  /** Returns whether every value was right and every request was answered. */
  public boolean good() {
    return wrong == 0 && errors == 0;
  }
}

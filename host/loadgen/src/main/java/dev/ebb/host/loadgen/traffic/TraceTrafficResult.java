package dev.ebb.host.loadgen.traffic;

import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a client of one or more servers got for the requests of a trace.
 *
 * @param chunks chunks in these requests
 * @param hits chunks that could be used, because they and all before them were read
 * @param lost chunks that a lookup found and a read did not
 * @param wrong values that were not those stored
 * @param firstError the first of them; null if there is none
 * @param skippedLines malformed lines of the trace that were left out
 * @param skippedReasons the problems of the first of them
 * @param distinct different chunks in the requests
 * @param resident chunks of which a server had the values of all ranks at the end
 * @param split chunks of which servers had some of them only
 * @param unreachable those that have a predecessor their server did not have
 * @param objects the objects that the servers had at the end; null for a model with one group
 * @param latencies of whole requests, in nanoseconds
 */
public record TraceTrafficResult(
    List<ServerTraffic> servers,
    TraceTrafficOptions.Routing routing,
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
    ResidentObjects.@Nullable Count objects,
    Histogram latencies) {

  public TraceTrafficResult {
    servers = List.copyOf(servers);
  }

  /** Returns where the servers run. */
  public String server() {
    return servers.stream().map(ServerTraffic::server).collect(Collectors.joining(","));
  }

  /** Returns the traffic of all servers with other nodes; null if one does not report any. */
  public ServerTraffic.@Nullable Remote remote() {
    ServerTraffic.Remote sum = new ServerTraffic.Remote(0, 0, 0, 0);
    for (ServerTraffic server : servers) {
      ServerTraffic.Remote one = server.remote();
      if (one == null) {
        return null;
      }
      sum = sum.plus(one);
    }
    return sum;
  }

  /** Returns the prefix hit ratio, in chunks: 0 to 1; NaN if the trace has no chunks. */
  public double hitRatio() {
    return chunks == 0 ? Double.NaN : (double) hits / chunks;
  }

  /** Returns the share of the resident chunks that no request can use: 0 to 1. */
  public double unreachableShare() {
    return resident == 0 ? 0 : (double) unreachable / resident;
  }

  /** Returns whether every value was right and every request was answered. */
  public boolean good() {
    return wrong == 0 && errors == 0;
  }
}

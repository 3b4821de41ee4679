package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.ChunkFormat;
import dev.ebb.host.loadgen.ValueSizes;

/**
 * How a trace is sent to servers.
 *
 * @param tiling of {@link TrafficShape#LMCACHE_MP}
 * @param connections the engines, at least 1
 * @param ranks the workers of each engine, which have a connection and a value of each chunk each
 * @param limit the most requests to send
 * @param seed of the values, and of the order in which missing chunks are stored
 * @param speed how many times faster than recorded requests arrive; infinity for as fast as
 *     possible
 * @param inOrder whether missing chunks are stored from the front, not in any order
 */
public record TraceTrafficOptions(
    TrafficShape shape,
    Tiling tiling,
    ValueSizes sizes,
    int connections,
    int ranks,
    long limit,
    long seed,
    double speed,
    boolean inOrder,
    TraceRouting routing) {

  public TraceTrafficOptions {
    if (connections < 1 || ranks < 1 || !(speed > 0)) {
      throw new IllegalArgumentException(
          "connections '%d', ranks '%d' and speed '%s' must be above zero"
              .formatted(connections, ranks, speed));
    }
  }

  /** Returns how many requests each engine has in flight. */
  int inFlight() {
    return shape == TrafficShape.LMCACHE_MP ? tiling.prompts() : 1;
  }

  /** Returns the keys of the chunks of the first rank. */
  ChunkFormat firstRank() {
    return shape == TrafficShape.LMCACHE_MP
        ? ChunkFormat.single(0, ranks)
        : ChunkFormat.pair(0, ranks);
  }
}

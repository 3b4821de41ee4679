package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.Values;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.List;

/**
 * The connections of one engine to one server. For one request at a time, except in {@link
 * TraceTrafficOptions.Shape#LMCACHE_MP}.
 */
interface EngineLink extends AutoCloseable {

  /**
   * Connects an engine to a server.
   *
   * @param values the objects of each group, shared by all engines
   * @param metadata their descriptions, in shapes that have them
   */
  static EngineLink open(
      BenchTarget target, List<Values> values, Values metadata, TraceTrafficOptions options) {
    return switch (options.shape()) {
      case LMCACHE_MP -> new TiledLink(target, values, options);
      case LMCACHE_REDIS -> new RankedLink(target, values.getFirst(), metadata, options);
    };
  }

  /**
   * Sends a request: looks chunks up, reads those found, stores the rest.
   *
   * @param ids the chunks of the prompt, front to back
   * @param number the number of the request in the trace
   */
  TrafficOutcome serve(LongArrayList ids, long number) throws IOException;

  /** Returns when the server sent something last, on any of the connections. */
  long repliedNanos();

  /** Returns whether the engine has a chunk in its own memory. */
  default boolean hasLocally(long id) {
    return false;
  }

  /** Returns a client for each value of a chunk. */
  List<ChunkClient> readers();

  @Override
  void close();
}

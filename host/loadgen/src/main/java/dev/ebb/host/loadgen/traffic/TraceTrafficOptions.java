package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.ValueSizes;
import java.util.List;
import java.util.Locale;

/**
 * How a trace is sent to servers.
 *
 * @param tiling of {@link Shape#LMCACHE_MP}
 * @param connections the engines, at least 1
 * @param ranks the workers of each engine, which have a connection and a value of each chunk each
 * @param limit the most requests to send
 * @param seed of the values, and of the order in which missing chunks are stored
 * @param speed how many times faster than recorded requests arrive; infinity for as fast as
 *     possible
 * @param inOrder whether missing chunks are stored from the front, not in any order
 */
public record TraceTrafficOptions(
    Shape shape,
    Tiling tiling,
    ValueSizes sizes,
    int connections,
    int ranks,
    long limit,
    long seed,
    double speed,
    boolean inOrder,
    Routing routing) {

  public TraceTrafficOptions {
    if (connections < 1 || ranks < 1 || !(speed > 0)) {
      throw new IllegalArgumentException(
          "connections '%d', ranks '%d' and speed '%s' must be above zero"
              .formatted(connections, ranks, speed));
    }
  }

  /** Returns how many requests each engine has in flight. */
  int inFlight() {
    return shape == Shape.LMCACHE_MP ? tiling.prompts() : 1;
  }

  /** Returns the keys of the chunks of the first rank. */
  ChunkClient.Format firstRank() {
    return shape == Shape.LMCACHE_MP
        ? ChunkClient.Format.single(0, ranks)
        : ChunkClient.Format.pair(0, ranks);
  }

  /** The choice of a server for each request of a trace. */
  public enum Routing {
    /** One server after the other. */
    ROUND_ROBIN,
    /** By a hash of the first chunk: the same start of a prompt, the same server. */
    HASH,
    /** The node that Ebb ranks first for the chunks of the request. */
    AFFINITY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** The commands that an engine sends for a prompt, and over which connections. */
  public enum Shape {

    /**
     * LMCache's multiprocess mode with its RESP adapter: the engine looks up all chunks of a
     * prompt, reads the prefix found, and stores the rest. Each of these batches is cut into
     * contiguous tiles, which workers with a connection each take from one queue.
     */
    LMCACHE_MP,

    /**
     * LMCache's in-process mode with its Redis connector: each rank looks up chunks on one
     * connection until one is missing. A chunk has two values.
     */
    LMCACHE_REDIS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * How an LMCache server in multiprocess mode sends its commands.
   *
   * @param workers its connections; a batch is cut into so many tiles at most
   * @param localChunks chunks that its own memory holds, the least recently used are evicted; 0 for
   *     none
   * @param prompts how many prompts it has in flight
   * @param scrambled whether tiles start and advance in random order, instead of front to back
   * @param groups the object groups of the model, with their sizes in units of the value size
   * @param chunkByChunk whether the objects of a chunk follow each other, not those of a group
   */
  public record Tiling(
      int workers,
      long localChunks,
      int prompts,
      boolean scrambled,
      SizedGroups groups,
      boolean chunkByChunk) {

    /** Of a model with one object group. */
    public Tiling(int workers, long localChunks, int prompts, boolean scrambled) {
      this(
          workers,
          localChunks,
          prompts,
          scrambled,
          new SizedGroups(ObjectGroups.ONE, List.of(1)),
          false);
    }

    public Tiling {
      if (workers < 1 || prompts < 1 || localChunks < 0) {
        throw new IllegalArgumentException(
            "workers '%d' and prompts '%d' must be above zero, and local chunks '%d' not below"
                .formatted(workers, prompts, localChunks));
      }
      if (scrambled && prompts > 1) {
        throw new IllegalArgumentException(
            "prompts '%d' must be 1 if tiles are scrambled".formatted(prompts));
      }
    }
  }
}

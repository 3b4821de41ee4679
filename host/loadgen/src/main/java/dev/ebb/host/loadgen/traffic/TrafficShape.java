package dev.ebb.host.loadgen.traffic;

import java.util.Locale;

/** The commands that an engine sends for a prompt, and over which connections. */
public enum TrafficShape {

  /**
   * LMCache's multiprocess mode with its RESP adapter: the engine looks up all chunks of a prompt,
   * reads the prefix found, and stores the rest. Each of these batches is cut into contiguous
   * tiles, which workers with a connection each take from one queue.
   */
  LMCACHE_MP,

  /**
   * LMCache's in-process mode with its Redis connector: each rank looks up chunks on one connection
   * until one is missing. A chunk has two values.
   */
  LMCACHE_REDIS;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

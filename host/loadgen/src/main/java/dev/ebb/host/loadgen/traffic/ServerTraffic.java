package dev.ebb.host.loadgen.traffic;

import org.jspecify.annotations.Nullable;

/**
 * What a client of one server got.
 *
 * @param requests requests that it answered
 * @param chunks chunks in these requests
 * @param hits chunks that could be used, because they and all before them were read
 * @param remote its traffic with other nodes; null if it does not report any
 */
public record ServerTraffic(
    String server, long requests, long chunks, long hits, @Nullable Remote remote) {

  /**
   * The traffic of a node with the others of its cluster.
   *
   * @param chunks chunks that were read and that the node's clients had not stored there
   * @param readBytes the bytes that it fetched for reads
   * @param replicatedBytes the bytes that it fetched as replicas
   * @param movedBytes the bytes that it evicted and another node stored
   */
  public record Remote(long chunks, long readBytes, long replicatedBytes, long movedBytes) {

    /** Returns the sum of two nodes' traffic. */
    Remote plus(Remote other) {
      return new Remote(
          chunks + other.chunks,
          readBytes + other.readBytes,
          replicatedBytes + other.replicatedBytes,
          movedBytes + other.movedBytes);
    }
  }

  /** Returns the prefix hit ratio, in chunks: 0 to 1; NaN without requests. */
  public double hitRatio() {
    return chunks == 0 ? Double.NaN : (double) hits / chunks;
  }
}

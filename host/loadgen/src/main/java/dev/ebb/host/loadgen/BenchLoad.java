package dev.ebb.host.loadgen;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The load on the server.
 *
 * @param getShare the share of GETs among the requests, 0 to 1; the others are SETs
 * @param refill whether a key that was not found is SET next, as a cache's user does
 * @param verify whether every value read is compared with the written one
 * @param fillKeys how many keys, from 0 on, are SET once before the measurement
 * @param connections at least 1
 * @param pipeline requests in flight on each connection, at least 1
 * @param warmUp how long the load runs before it is measured
 * @param duration the maximum time of the measurement; more than zero
 * @param requests the maximum number of measured requests; at least 1
 * @param seed decides which requests are GETs, and the content of the values
 */
public record BenchLoad(
    double getShare,
    boolean refill,
    boolean verify,
    int fillKeys,
    int connections,
    int pipeline,
    Duration warmUp,
    Duration duration,
    long requests,
    long seed) {

  /** The maximum number of connections: each has buffers of its own. */
  public static final int MAX_CONNECTIONS = 10_000;

  /** The longest pipeline. */
  public static final int MAX_PIPELINE = 10_000;

  public BenchLoad {
    requireNonNull(warmUp, "warmUp is null");
    requireNonNull(duration, "duration is null");
    if (!(getShare >= 0 && getShare <= 1)
        || fillKeys < 0
        || connections < 1
        || connections > MAX_CONNECTIONS
        || pipeline < 1
        || pipeline > MAX_PIPELINE
        || warmUp.isNegative()
        || !duration.isPositive()
        || requests < 1) {
      throw new IllegalArgumentException("a number is out of range: getShare " + getShare);
    }
  }

  /** Returns the same load after some keys have been SET. */
  public BenchLoad filling(int keys) {
    return new BenchLoad(
        getShare, refill, verify, keys, connections, pipeline, warmUp, duration, requests, seed);
  }
}

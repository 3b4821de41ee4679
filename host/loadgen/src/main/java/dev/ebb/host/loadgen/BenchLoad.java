package dev.ebb.host.loadgen;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What is asked of the server.
 *
 * @param getShare how many of the requests are GETs, 0 to 1; the others are SETs
 * @param refill whether a key that was not found is SET next, as a cache's user does
 * @param verify whether every value read is compared with what was written
 * @param fillKeys how many keys, from 0 on, are SET once before anything is measured
 * @param connections how many, at least 1
 * @param pipeline requests under way on each connection, at least 1
 * @param warmUp how long the load runs before it is measured
 * @param duration how long it is measured at most; more than zero
 * @param requests after how many measured requests it ends at the latest; at least 1
 * @param seed decides which requests are GETs and what the values are
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

  /** The most connections: each has buffers of its own. */
  public static final int MAX_CONNECTIONS = 10_000;

  /** The longest pipeline. */
  public static final int MAX_PIPELINE = 10_000;

  /** Checks the numbers. */
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
      throw new IllegalArgumentException("a number is outside its range: getShare " + getShare);
    }
  }

  /**
   * The same load after some keys have been SET.
   *
   * @param keys how many
   * @return a copy
   */
  public BenchLoad filling(int keys) {
    return new BenchLoad(
        getShare, refill, verify, keys, connections, pipeline, warmUp, duration, requests, seed);
  }
}

package dev.ebb.host.admin.stats;

import dev.ebb.host.engine.RequestStats;

/** The latencies of the last minute. */
public final class RequestLatencies {

  private static final int SECONDS = 10;

  private final LatencyWindow queue = new LatencyWindow();
  private final LatencyWindow firstToken = new LatencyWindow();
  private final LatencyWindow interToken = new LatencyWindow();
  private final LatencyWindow latency = new LatencyWindow();
  private int seconds;

  LatencyWindow queue() {
    return queue;
  }

  LatencyWindow firstToken() {
    return firstToken;
  }

  LatencyWindow interToken() {
    return interToken;
  }

  LatencyWindow latency() {
    return latency;
  }

  /** Returns whether a mark is due; must be called once a second. */
  public boolean second() {
    return ++seconds % SECONDS == 0;
  }

  public void mark(RequestStats stats) {
    queue.mark(stats.queueNanos());
    firstToken.mark(stats.firstTokenNanos());
    interToken.mark(stats.interTokenNanos());
    latency.mark(stats.latencyNanos());
  }
}

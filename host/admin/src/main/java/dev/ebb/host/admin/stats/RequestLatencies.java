package dev.ebb.host.admin.stats;

import dev.ebb.host.engine.RequestStats;

/** The latencies of the last minute. */
public final class RequestLatencies {

  private static final int SECONDS = 10;

  final LatencyWindow queue = new LatencyWindow();
  final LatencyWindow firstToken = new LatencyWindow();
  final LatencyWindow interToken = new LatencyWindow();
  final LatencyWindow latency = new LatencyWindow();
  private int seconds;

  /** Returns whether a mark is due; must be called once a second. */
  public boolean second() {
    return ++seconds % SECONDS == 0;
  }

  /** Starts the next interval. */
  public void mark(RequestStats stats) {
    queue.mark(stats.queueNanos());
    firstToken.mark(stats.firstTokenNanos());
    interToken.mark(stats.interTokenNanos());
    latency.mark(stats.latencyNanos());
  }
}

package dev.ebb.server.peer;

import java.time.Duration;

/**
 * Decides whether another engine computes a prompt: if enough of it is not cached, and the other
 * engine takes at most twice the time for a token that this one takes. The factor is for the
 * answers that wait here while a prompt is computed. Times are measured. After a failure, and when
 * it was too slow, the other engine is asked again after ten seconds. Thread-safe.
 */
public final class PrefillRule {

  /** Fewer missing tokens are not worth a request. */
  public static final int LEAST_TOKENS = 64;

  private static final double FACTOR = 2;
  private static final double WEIGHT = 0.2;
  private static final long AGAIN_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SHORTEST_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long UNKNOWN_NANOS = Duration.ofSeconds(60).toNanos();

  private double ownNanos = Double.NaN;
  private double peerNanos = Double.NaN;
  private boolean failed;
  private long last = System.nanoTime() - AGAIN_NANOS;

  /** Creates a rule without measurements, which asks. */
  public PrefillRule() {}

  /** Reports how long this engine has computed tokens. */
  public synchronized void computed(int tokens, long nanos) {
    ownNanos = average(ownNanos, (double) nanos / tokens);
  }

  /** Reports how long the tokens of the other engine took until they were here. */
  public synchronized void obtained(int tokens, long nanos) {
    failed = false;
    last = System.nanoTime();
    if (tokens > 0) {
      peerNanos = average(peerNanos, (double) nanos / tokens);
    }
  }

  /** Reports that the other engine has failed or refused. */
  public synchronized void failed() {
    failed = true;
    last = System.nanoTime();
  }

  /** Returns whether the other engine is asked for tokens that are not cached here. */
  public synchronized boolean asks(int missingTokens) {
    boolean slow = peerNanos > FACTOR * ownNanos;
    return missingTokens >= LEAST_TOKENS
        && (!(failed || slow) || System.nanoTime() - last > AGAIN_NANOS);
  }

  /** Returns how long to wait for tokens at most: twice the time for which they are worth it. */
  public synchronized long limitNanos(int missingTokens) {
    return Double.isNaN(ownNanos)
        ? UNKNOWN_NANOS
        : Math.max(SHORTEST_NANOS, (long) (2 * FACTOR * ownNanos * missingTokens));
  }

  private static double average(double before, double value) {
    return Double.isNaN(before) ? value : before + WEIGHT * (value - before);
  }
}

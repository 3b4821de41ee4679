package dev.ebb.host.cache.policy;

import dev.ebb.host.statistics.RecentMedian;

/**
 * Samples the cost of a policy: one batch in 64, less the cost of reading the clock. Meaningful
 * only while the thread has its core to itself.
 */
public final class PolicyTimer {

  private static final int EVERY = 64;

  private final long clockNanos = clockCost();
  private int untilBatch = EVERY;
  private int untilPass = EVERY;
  private boolean timing;
  private long since;
  private long accesses;
  private boolean samplesPass;
  private long slowestNanos;
  private final RecentMedian nanosPerAccess = new RecentMedian();
  private final RecentMedian nanosPerVictim = new RecentMedian();

  public PolicyTimer() {}

  public boolean due() {
    return --untilBatch == 0;
  }

  public void startBatch() {
    untilBatch = EVERY;
    timing = false;
  }

  public void before(boolean access) {
    if (!access) {
      endBatch();
    } else if (timing) {
      accesses++;
    } else {
      timing = true;
      accesses = 1;
      since = System.nanoTime();
    }
  }

  public void endBatch() {
    if (timing) {
      long nanos = Math.max(0, System.nanoTime() - since - clockNanos);
      nanosPerAccess.add((double) nanos / accesses);
      timing = false;
    }
  }

  public boolean passDue() {
    samplesPass = --untilPass == 0;
    return samplesPass;
  }

  public void pass(long startNanos, long evicted) {
    untilPass = EVERY;
    samplesPass = false;
    long nanos = Math.max(0, System.nanoTime() - startNanos - clockNanos);
    if (evicted > 0) {
      nanosPerVictim.add((double) nanos / evicted);
    }
  }

  /** Returns the start of a call; 0 while a pass is sampled, which reading the clock would slow. */
  public long beginCall() {
    return samplesPass ? 0 : System.nanoTime();
  }

  /** Ends a call, without the time in which the policy only waited for a background task. */
  public void endCall(long start, long waitedNanos) {
    if (start != 0) {
      slowestNanos = Math.max(slowestNanos, System.nanoTime() - start - waitedNanos);
    }
  }

  /** Returns the longest nanoseconds without an answer of the policy; NaN if no call was timed. */
  public double slowestNanos() {
    return slowestNanos == 0 ? Double.NaN : slowestNanos;
  }

  /** Returns the median nanoseconds of the policy for one access; NaN if none was sampled. */
  public double nanosPerAccess() {
    return nanosPerAccess.value();
  }

  /**
   * Returns the median nanoseconds for one victim: asking, refusals, and its removal from cache and
   * policy. NaN if none was sampled.
   */
  public double nanosPerVictim() {
    return nanosPerVictim.value();
  }

  private static long clockCost() {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 50; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        System.nanoTime();
      }
      least = Math.min(least, (System.nanoTime() - start) / 21);
    }
    return least;
  }
}

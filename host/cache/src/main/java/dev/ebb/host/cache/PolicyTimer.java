package dev.ebb.host.cache;

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
  private long accessNanos;
  private long accesses;
  private long victimNanos;
  private long victims;

  /** Creates a timer without samples. */
  public PolicyTimer() {}

  boolean due() {
    return --untilBatch == 0;
  }

  void startBatch() {
    untilBatch = EVERY;
    timing = false;
  }

  void before(boolean access) {
    if (access) {
      accesses++;
      if (!timing) {
        timing = true;
        since = System.nanoTime();
      }
    } else {
      endBatch();
    }
  }

  void endBatch() {
    if (timing) {
      accessNanos += Math.max(0, System.nanoTime() - since - clockNanos);
      timing = false;
    }
  }

  boolean passDue() {
    return --untilPass == 0;
  }

  void pass(long startNanos, long evicted) {
    untilPass = EVERY;
    victimNanos += Math.max(0, System.nanoTime() - startNanos - clockNanos);
    victims += evicted;
  }

  /**
   * Returns the policy's time for one access.
   *
   * @return nanoseconds, NaN if none was sampled
   */
  public double nanosPerAccess() {
    return accesses == 0 ? Double.NaN : (double) accessNanos / accesses;
  }

  /**
   * Returns the time for one victim: asking, refusals, and its removal from cache and policy.
   *
   * @return nanoseconds, NaN if none was sampled
   */
  public double nanosPerVictim() {
    return victims == 0 ? Double.NaN : (double) victimNanos / victims;
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

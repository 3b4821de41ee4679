package dev.ebb.host.cache.policy;

import dev.ebb.host.statistics.RecentMedian;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Samples the cost of a policy: one batch in 64, less the cost of reading the clock. The slowest of
 * all calls is measured in ticks of a millisecond that another thread counts, because two readings
 * of the clock take longer than most calls. Meaningful only while the thread has its core to
 * itself.
 */
public final class PolicyTimer {

  private static final int EVERY = 64;
  private static final long TICK_NANOS = 1_000_000;

  private final long clockNanos = clockCost();
  private int untilBatch = EVERY;
  private int untilPass = EVERY;
  private boolean timing;
  private long since;
  private long accesses;
  private @Nullable Thread ticking;
  private volatile long ticks;
  private long slowestTicks = -1;
  private final RecentMedian nanosPerAccess = new RecentMedian();
  private final RecentMedian nanosPerVictim = new RecentMedian();

  public PolicyTimer() {}

  /** Begins to count ticks. */
  public void start() {
    ticking = Thread.ofPlatform().daemon().name("ebb-policy-timer").start(this::tick);
  }

  /** Counts no ticks until the next start. */
  public void stop() {
    if (ticking != null) {
      ticking.interrupt();
      ticking = null;
    }
  }

  private void tick() {
    for (long next = ticks + 1; !Thread.interrupted(); next++) {
      LockSupport.parkNanos(TICK_NANOS);
      ticks = next;
    }
  }

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
    return --untilPass == 0;
  }

  public void pass(long startNanos, long evicted) {
    untilPass = EVERY;
    long nanos = Math.max(0, System.nanoTime() - startNanos - clockNanos);
    if (evicted > 0) {
      nanosPerVictim.add((double) nanos / evicted);
    }
  }

  /** Returns the ticks until now. */
  public long ticks() {
    return ticks;
  }

  /** Ends a call that began at this tick. */
  public void endCall(long start) {
    slowestTicks = Math.max(slowestTicks, ticks - start);
  }

  /**
   * Returns how many nanoseconds the policy was without an answer at most, rounded down to
   * milliseconds; NaN if no call was timed.
   */
  public double slowestNanos() {
    // The first tick may have come right after the start of the call.
    return slowestTicks < 0 ? Double.NaN : Math.max(0, slowestTicks - 1) * (double) TICK_NANOS;
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

package dev.ebb.host.cluster.directory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock: versions that grow with the wall clock, and never repeat or fall. From
 * the most significant bit: 43 bits of milliseconds since 1970, 13 bits of a counter, 8 bits of the
 * node. Thread-safe.
 *
 * <p>See Kulkarni et al., "Logical Physical Clocks", 2014.
 */
public final class HybridClock {

  private static final int NODE_BITS = 8;
  private static final int COUNTER_BITS = 13;
  private static final int LOGICAL_BITS = COUNTER_BITS + NODE_BITS;
  private static final long NODE_MASK = (1L << NODE_BITS) - 1;
  private static final long STEP = 1L << NODE_BITS;

  /** More versions than a node returns between two messages to another one. */
  private static final long MANY_STEPS = 1_000 * STEP;

  private final LongSupplier wallMillis;
  private final long node;
  private final AtomicLong last = new AtomicLong();

  public HybridClock(int node) {
    this(node, System::currentTimeMillis);
  }

  HybridClock(int node, LongSupplier wallMillis) {
    this.node = node & NODE_MASK;
    this.wallMillis = wallMillis;
  }

  /** Returns a version greater than all that this clock has returned or observed. */
  public long next() {
    return next(wallMillis.getAsLong(), STEP);
  }

  /**
   * Returns a version greater than all that other clocks have returned until now, if their wall
   * clocks differ from this one by less than some milliseconds. Up to eight calls a millisecond of
   * all nodes together leave the versions hardly more than that ahead of the wall clock.
   */
  public long next(long differenceMillis) {
    return next(wallMillis.getAsLong() + differenceMillis, MANY_STEPS);
  }

  private long next(long millis, long steps) {
    long least = millis << LOGICAL_BITS;
    return last.updateAndGet(before -> Math.max(least, (before & ~NODE_MASK) + steps) | node);
  }

  /** Returns whether a version is of this clock, rather than of another node's. */
  public boolean hasReturned(long version) {
    return (version & NODE_MASK) == node;
  }

  /** Makes all later versions greater than another node's version. */
  public void observe(long version) {
    last.accumulateAndGet(version, Math::max);
  }

  /** Returns the newest version returned or observed. */
  public long last() {
    return last.get();
  }

  /** Returns a version that is some milliseconds older than another one. */
  public static long before(long version, long millis) {
    return Math.max(0, version - (millis << LOGICAL_BITS));
  }

  /** Returns the wall-clock milliseconds of a version. */
  public static long millis(long version) {
    return version >>> LOGICAL_BITS;
  }
}

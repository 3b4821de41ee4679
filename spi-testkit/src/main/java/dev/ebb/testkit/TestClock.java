package dev.ebb.testkit;

import dev.ebb.spi.PolicyClock;
import java.time.Duration;

/**
 * A clock that only moves when {@link #advance} is called, and the source of ticks.
 *
 * @since 1.0.0
 */
public final class TestClock implements PolicyClock {

  private long nanos;
  private long tick;

  /** Creates a clock at 0 nanoseconds and tick 0. */
  public TestClock() {}

  @Override
  public long nanos() {
    return nanos;
  }

  /**
   * Lets time pass.
   *
   * @param time how much, not negative
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a clock does not go back: '%s'".formatted(time));
    }
    nanos += time.toNanos();
  }

  /**
   * Returns the next event's tick.
   *
   * @return 1, 2, 3 ...
   */
  public long nextTick() {
    return ++tick;
  }

  /** Continues where another clock is, as for a policy that takes over from another one. */
  void continueFrom(TestClock other) {
    nanos = other.nanos;
    tick = other.tick;
  }
}

package dev.ebb.host.replay;

import dev.ebb.spi.PolicyClock;

/** The trace's time. */
final class ReplayClock implements PolicyClock {

  private long nanos;

  // A trace may be out of order; time never runs backwards.
  void advanceTo(long timestampNanos) {
    nanos = Math.max(nanos, timestampNanos);
  }

  @Override
  public long nanos() {
    return nanos;
  }
}

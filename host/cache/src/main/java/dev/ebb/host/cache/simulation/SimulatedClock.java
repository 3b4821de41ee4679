package dev.ebb.host.cache.simulation;

import dev.ebb.spi.PolicyClock;

/** The time of what is simulated. It never runs backwards, though a trace may be out of order. */
public final class SimulatedClock implements PolicyClock {

  private long nanos;

  public void advanceTo(long to) {
    nanos = Math.max(nanos, to);
  }

  @Override
  public long nanos() {
    return nanos;
  }
}

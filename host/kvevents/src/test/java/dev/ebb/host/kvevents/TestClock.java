package dev.ebb.host.kvevents;

import dev.ebb.host.store.TimeSource;

/** A clock that a test moves. */
final class TestClock implements TimeSource {

  long millis = 1;

  @Override
  public long wallMillis() {
    return millis;
  }

  @Override
  public long nanos() {
    return millis * 1_000_000;
  }
}

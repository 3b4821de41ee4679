package dev.ebb.host.store;

/** A clock that changes only when a test sets it. */
final class TestClock implements TimeSource {

  long millis = 1_000_000;

  @Override
  public long nanos() {
    return millis * 1_000_000;
  }

  @Override
  public long wallMillis() {
    return millis;
  }
}

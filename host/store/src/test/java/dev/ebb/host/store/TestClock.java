package dev.ebb.host.store;

/** A clock that stands still until it is moved. */
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

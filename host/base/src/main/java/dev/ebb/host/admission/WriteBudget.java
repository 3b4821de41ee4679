package dev.ebb.host.admission;

import java.util.function.LongSupplier;

/**
 * Admits so much a day, from a bucket that fills with time and holds what an hour gives. The fuller
 * it is, the less likely to return a value may be. Thread-safe.
 */
final class WriteBudget implements WriteAdmission {

  private static final double HOURS_PER_DAY = 24;
  private static final double NANOS_PER_HOUR = 3_600e9;

  private final double capacity;
  private final LongSupplier nanos;
  private final ReuseAdmission reuse = new ReuseAdmission(this::share);
  private double left;
  private long filledNanos;

  WriteBudget(long perDay, LongSupplier nanos) {
    capacity = perDay / HOURS_PER_DAY;
    left = capacity;
    this.nanos = nanos;
    filledNanos = nanos.getAsLong();
  }

  private double share() {
    return Math.clamp(left / capacity, 0, 1);
  }

  @Override
  public synchronized boolean admits(EvictedUse value) {
    long now = nanos.getAsLong();
    left = Math.min(capacity, left + (now - filledNanos) / NANOS_PER_HOUR * capacity);
    filledNanos = now;
    return reuse.admits(value) && left > 0;
  }

  @Override
  public synchronized void written(long size) {
    left -= size;
    reuse.written(size);
  }

  @Override
  public void requested(long key) {
    reuse.requested(key);
  }
}

package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The ends of values: by their client's time to live, or after a time without use. Guarded by the
 * partition's lock.
 */
final class Lifetimes {

  private final TimeSource time;
  private long idleNanos;
  private final Expirations expirations = new Expirations();
  private int expiring;

  /** Creates it; zero for values that live forever without use. */
  Lifetimes(TimeSource time, long idleNanos) {
    this.time = time;
    this.idleNanos = idleNanos;
  }

  /** Changes the idle time; every value has to be checked again. */
  void idle(long nanos) {
    idleNanos = nanos;
  }

  /** Returns the number of values with a time to live of their own. */
  int expiring() {
    return expiring;
  }

  void added(StoredValue value) {
    expiring += value.expiresAt == StoredValue.NEVER ? 0 : 1;
    scheduleCheck(value);
  }

  void removed(StoredValue value) {
    expiring -= value.expiresAt == StoredValue.NEVER ? 0 : 1;
    expirations.forget(value);
  }

  void set(StoredValue value, long at) {
    expiring -= value.expiresAt == StoredValue.NEVER ? 0 : 1;
    value.expiresAt = at;
    added(value);
  }

  boolean expired(StoredValue value) {
    return ttlExpired(value) || (idles(value) && idleLeft(value) <= 0);
  }

  /** Returns whether the time to live of its client is over. */
  boolean ttlExpired(StoredValue value) {
    return value.expiresAt != StoredValue.NEVER && time.wallMillis() >= value.expiresAt;
  }

  /** Returns the next value to check, or null. */
  @Nullable StoredValue due() {
    return expirations.due(time.wallMillis());
  }

  /** Notes when a value is to be checked next. */
  void scheduleCheck(StoredValue value) {
    expirations.note(value, Math.min(value.expiresAt, idleEnd(value)));
  }

  private long idleEnd(StoredValue value) {
    if (idleNanos == 0 || value.owner != null) {
      return StoredValue.NEVER;
    }
    // A value that is pinned past its end is checked again a whole idle time later.
    long left = value.pins.isEmpty() ? Math.max(0, idleLeft(value)) : idleNanos;
    return time.wallMillis() + Math.ceilDiv(left, 1_000_000L);
  }

  /**
   * Returns whether it can become idle: a pinned value lasts without use, and an attachment as long
   * as its owner.
   */
  private boolean idles(StoredValue value) {
    return idleNanos > 0 && value.owner == null && value.pins.isEmpty();
  }

  private long idleLeft(StoredValue value) {
    return idleNanos - (time.nanos() - requireNonNull(value.entry).lastAccessNanos());
  }
}

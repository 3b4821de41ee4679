package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * When values end: at a time that their client gave, or when they were not used for too long.
 * Guarded by the partition's lock.
 */
final class Lifetimes {

  private final TimeSource time;
  private long idleNanos;
  private final Expirations expirations = new Expirations();
  private int expiring;

  /** Zero for values that live for ever without being used. */
  Lifetimes(TimeSource time, long idleNanos) {
    this.time = time;
    this.idleNanos = idleNanos;
  }

  /** Changes it; every value is to be looked at again. */
  void idle(long nanos) {
    idleNanos = nanos;
  }

  /** Values with a time to live of their own. */
  int expiring() {
    return expiring;
  }

  /** A value has become visible. */
  void begun(StoredValue value, int values) {
    expiring += value.expiresAt == StoredValue.NEVER ? 0 : 1;
    lookAgain(value, values);
  }

  /** A value has left. */
  void removed(StoredValue value) {
    expiring -= value.expiresAt == StoredValue.NEVER ? 0 : 1;
    expirations.forget(value);
  }

  void set(StoredValue value, long at, int values) {
    expiring -= value.expiresAt == StoredValue.NEVER ? 0 : 1;
    value.expiresAt = at;
    begun(value, values);
  }

  /** Whether a value's time is over. */
  boolean over(StoredValue value) {
    return ended(value) || (idles(value) && idleLeft(value) <= 0);
  }

  /** Whether the time that its client gave is over. */
  boolean ended(StoredValue value) {
    return value.expiresAt != StoredValue.NEVER && time.wallMillis() >= value.expiresAt;
  }

  /** The next value whose time to be looked at has come, or null. */
  @Nullable StoredValue due() {
    return expirations.due(time.wallMillis());
  }

  /** Notes when a value is to be looked at next. */
  void lookAgain(StoredValue value, int values) {
    expirations.note(value, Math.min(value.expiresAt, idleEnd(value)), values);
  }

  private long idleEnd(StoredValue value) {
    if (idleNanos == 0 || value.owner != null) {
      return StoredValue.NEVER;
    }
    // Whoever is pinned past the end is looked at again a whole idle time later.
    long left = value.pins.isEmpty() ? Math.max(0, idleLeft(value)) : idleNanos;
    return time.wallMillis() + Math.ceilDiv(left, 1_000_000L);
  }

  /** A pinned value lasts without being used, and an attachment as long as its owner. */
  private boolean idles(StoredValue value) {
    return idleNanos > 0 && value.owner == null && value.pins.isEmpty();
  }

  private long idleLeft(StoredValue value) {
    return idleNanos - (time.nanos() - requireNonNull(value.entry).lastAccessNanos());
  }
}

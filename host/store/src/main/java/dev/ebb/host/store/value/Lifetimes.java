package dev.ebb.host.store.value;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.PolicyClock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The ends of values: by their client's time to live, or after a time without use. A value has one
 * valid note in the queue of values to check; a later end is found when that note comes up. An
 * invalid note holds no value: keys can be long. Guarded by the partition's lock.
 */
public final class Lifetimes {

  private static final int LEAST = 1024;

  private final PolicyClock clock;
  private final LongSupplier wallMillis;
  private long idleNanos;
  private PriorityQueue<Note> notes = queue();
  private int valid;
  private int expiring;

  static final class Note {
    private final long at;
    private @Nullable StoredValue value;

    private Note(StoredValue value, long at) {
      this.value = value;
      this.at = at;
    }
  }

  public Lifetimes(PolicyClock clock, LongSupplier wallMillis, long idleNanos) {
    this.clock = clock;
    this.wallMillis = wallMillis;
    this.idleNanos = idleNanos;
  }

  /** Changes the idle time; every value has to be checked again. */
  public void idle(long nanos) {
    idleNanos = nanos;
  }

  public int expiring() {
    return expiring;
  }

  public void added(StoredValue value) {
    expiring += value.expiresAt() == StoredValue.NEVER ? 0 : 1;
    scheduleCheck(value);
  }

  public void removed(StoredValue value) {
    expiring -= value.expiresAt() == StoredValue.NEVER ? 0 : 1;
    forget(value);
  }

  public void set(StoredValue value, long at) {
    expiring -= value.expiresAt() == StoredValue.NEVER ? 0 : 1;
    value.expiresAt(at);
    added(value);
  }

  public boolean expired(StoredValue value) {
    return ttlExpired(value) || (idles(value) && idleLeft(value) <= 0);
  }

  /** Returns whether the time to live of its client is over. */
  public boolean ttlExpired(StoredValue value) {
    return value.expiresAt() != StoredValue.NEVER && wallMillis.getAsLong() >= value.expiresAt();
  }

  /** Returns the next value to check now, or null. */
  public @Nullable StoredValue due() {
    long now = wallMillis.getAsLong();
    while (true) {
      Note note = notes.peek();
      if (note == null || note.at > now) {
        return null;
      }
      notes.remove();
      StoredValue value = note.value;
      if (value != null) {
        forget(value);
        return value;
      }
    }
  }

  public void scheduleCheck(StoredValue value) {
    long at = Math.min(value.expiresAt(), idleEnd(value));
    Note before = value.note;
    if (at >= (before == null ? StoredValue.NEVER : before.at)) {
      return;
    }
    forget(value);
    Note note = new Note(value, at);
    value.note = note;
    notes.add(note);
    valid++;
    if (notes.size() > 2 * valid + LEAST) {
      PriorityQueue<Note> current = queue();
      notes.stream().filter(each -> each.value != null).forEach(current::add);
      notes = current;
    }
  }

  private void forget(StoredValue value) {
    if (value.note != null) {
      value.note.value = null;
      value.note = null;
      valid--;
    }
  }

  private static PriorityQueue<Note> queue() {
    return new PriorityQueue<>(Comparator.comparingLong(note -> note.at));
  }

  private long idleEnd(StoredValue value) {
    if (idleNanos == 0 || value.owner() != null) {
      return StoredValue.NEVER;
    }
    // A value that is pinned past its end is checked again a whole idle time later.
    long left = value.pins().isEmpty() ? Math.max(0, idleLeft(value)) : idleNanos;
    return wallMillis.getAsLong() + Math.ceilDiv(left, 1_000_000L);
  }

  /**
   * Returns whether it can become idle: a pinned value lasts without use, and an attachment as long
   * as its owner.
   */
  private boolean idles(StoredValue value) {
    return idleNanos > 0 && value.owner() == null && value.pins().isEmpty();
  }

  private long idleLeft(StoredValue value) {
    return idleNanos - (clock.nanos() - requireNonNull(value.entry()).lastAccessNanos());
  }
}

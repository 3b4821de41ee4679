package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run of events in the order in which they happened. Filled by the cache, read by consumers, then
 * reused.
 */
public final class EventBatch {

  /** What happened. */
  public enum Kind {
    /** A request arrived; its matched length is known. */
    BEGAN,
    /** A request is over; its blocks are about to become candidates. */
    ENDED,
    /** An entry became resident. */
    INSERTED,
    /** A resident entry was used. */
    ACCESSED,
    /** An entry left. */
    REMOVED,
    /** The active policy offered the entry, which cannot be evicted now. */
    REFUSED,
    /** An entry that was refused as a victim may be offered again. */
    RELEASED
  }

  static final int CAPACITY = 512;

  private final Kind[] kinds;
  private final @Nullable Object[] subjects;
  private final int[] slots;
  private final @Nullable RemovalCause[] causes;
  private long @Nullable [] records;
  private int size;

  /** The consumer whose policy was active: REFUSED and RELEASED are meant for it alone. */
  int addressee;

  /** Consumers that have not read it. */
  int readers;

  /** Never filled again: it has no room, or somebody may read it still though nobody waits. */
  boolean spoilt;

  EventBatch() {
    kinds = new Kind[CAPACITY];
    subjects = new Object[CAPACITY];
    slots = new int[CAPACITY];
    causes = new RemovalCause[CAPACITY];
  }

  private EventBatch(EventBatch full) {
    kinds = Arrays.copyOf(full.kinds, full.size);
    subjects = Arrays.copyOf(full.subjects, full.size);
    slots = Arrays.copyOf(full.slots, full.size);
    causes = Arrays.copyOf(full.causes, full.size);
    records = full.records == null ? null : Arrays.copyOf(full.records, full.size);
    size = full.size;
    addressee = full.addressee;
    spoilt = true;
  }

  /** The same events in as little memory as they need. */
  EventBatch trimmed() {
    return new EventBatch(this);
  }

  /**
   * How many events.
   *
   * @return 0 or more
   */
  public int size() {
    return size;
  }

  /**
   * What happened.
   *
   * @param index 0 for the oldest event
   * @return the kind
   */
  public Kind kind(int index) {
    return kinds[index];
  }

  /**
   * To whom: an event of an entry.
   *
   * @param index of an event that is not BEGAN or ENDED
   * @return the entry
   */
  public CacheEntry entry(int index) {
    return (CacheEntry) Objects.requireNonNull(subjects[index]);
  }

  /**
   * The entry's slot at the time of the event; after REMOVED it is free for another entry.
   *
   * @param index of an event that is not BEGAN or ENDED
   * @return the slot
   */
  public int slot(int index) {
    return slots[index];
  }

  /**
   * To whom: an event of a request.
   *
   * @param index of a BEGAN or ENDED event
   * @return the request
   */
  public Request request(int index) {
    return (Request) Objects.requireNonNull(subjects[index]);
  }

  /**
   * Why an entry left.
   *
   * @param index of a REMOVED event
   * @return the cause
   */
  public RemovalCause cause(int index) {
    return Objects.requireNonNull(causes[index]);
  }

  boolean isFull() {
    return size == CAPACITY;
  }

  void add(Kind kind, CacheEntry entry) {
    kinds[size] = kind;
    slots[size] = entry.slot;
    subjects[size++] = entry;
  }

  /**
   * Adds a REMOVED event.
   *
   * @param record the removal's number in the eviction log, or {@link EvictionLog#NONE}
   */
  void addRemoved(CacheEntry entry, RemovalCause cause, long record) {
    causes[size] = cause;
    if (record != EvictionLog.NONE && records == null) {
      records = new long[CAPACITY];
      Arrays.fill(records, EvictionLog.NONE);
    }
    if (records != null) {
      records[size] = record;
    }
    add(Kind.REMOVED, entry);
  }

  /** The number in the eviction log of a REMOVED event. */
  long record(int index) {
    return records == null ? EvictionLog.NONE : records[index];
  }

  void add(Kind kind, Request request) {
    kinds[size] = kind;
    subjects[size++] = request;
  }

  void clear() {
    size = 0;
  }
}

package dev.ebb.host.cache.index;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run of events in their order: filled by the cache, read by consumers, then reused. */
public final class EventBatch {

  /** The kind of an event. */
  public enum Kind {
    /** A request arrived; its matched length is known. */
    BEGAN,
    /** A request ended; its blocks are about to become candidates. */
    ENDED,
    /** A key outside of any request was looked up, and had no entry. */
    MISSED,
    /** An entry became resident. */
    INSERTED,
    /** A resident entry was used. */
    ACCESSED,
    /** An entry was removed. */
    REMOVED,
    /** The active policy offered the entry, which cannot be evicted now. */
    REFUSED,
    /** An entry that was refused as a victim may be offered again. */
    RELEASED
  }

  public static final int CAPACITY = 512;

  private final Kind[] kinds;
  private final @Nullable Object[] subjects;
  private final int[] slots;
  private final @Nullable RemovalCause[] causes;
  private long @Nullable [] records;

  /** The keys of MISSED events; null if there was none. */
  private long @Nullable [] missed;

  private int size;

  /** The consumer whose policy was active: REFUSED and RELEASED are meant for it alone. */
  public int addressee;

  /** Consumers that have not read it. */
  public int readers;

  /** Never filled again: it has no room, or may still be read by an abandoned reader. */
  public boolean spoilt;

  public EventBatch() {
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
    missed = full.missed == null ? null : Arrays.copyOf(full.missed, full.size);
    size = full.size;
    addressee = full.addressee;
    spoilt = true;
  }

  public EventBatch trimmed() {
    return new EventBatch(this);
  }

  public int size() {
    return size;
  }

  /** Returns the kind of an event, 0 for the oldest. */
  public Kind kind(int index) {
    return kinds[index];
  }

  public CacheEntry entry(int index) {
    return (CacheEntry) Objects.requireNonNull(subjects[index]);
  }

  /**
   * Returns the entry's slot at the time of the event; after REMOVED it is free for another entry.
   */
  public int slot(int index) {
    return slots[index];
  }

  public Request request(int index) {
    return (Request) Objects.requireNonNull(subjects[index]);
  }

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

  /** Adds the removal with its number in the eviction log, or {@link EvictionLog#NONE}. */
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

  public long record(int index) {
    return records == null ? EvictionLog.NONE : records[index];
  }

  void add(Kind kind, Request request) {
    kinds[size] = kind;
    subjects[size++] = request;
  }

  void addMissed(long keyLow) {
    if (missed == null) {
      missed = new long[CAPACITY];
    }
    kinds[size] = Kind.MISSED;
    missed[size++] = keyLow;
  }

  /** Returns the lower half of the key of a MISSED event. */
  public long missed(int index) {
    return Objects.requireNonNull(missed)[index];
  }

  public void clear() {
    size = 0;
  }
}

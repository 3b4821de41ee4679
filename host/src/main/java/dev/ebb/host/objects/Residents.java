package dev.ebb.host.objects;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
import dev.ebb.host.cache.EventBatch;
import dev.ebb.host.cache.EventConsumer;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A partition's visible values, by key and by slot, until their time is over or they have to leave.
 * Follows the cache's events, so that memory goes when the entry goes. Guarded by the partition's
 * lock.
 */
final class Residents implements EventConsumer {

  private final BlockCache cache;
  private final ObjectMemory memory;
  private final OperatorPins pins;
  private final EntryStates states;
  private final Counters counters;
  private final TimeSource time;
  private final long idleNanos;
  private final Expirations expirations = new Expirations();

  /** By the entry's slot. */
  private @Nullable StoredValue[] values = new StoredValue[64];

  private int slots;
  private int expiring;

  Residents(
      BlockCache cache,
      ObjectMemory memory,
      OperatorPins pins,
      EntryStates states,
      Counters counters,
      TimeSource time,
      long idleNanos) {
    this.cache = cache;
    this.memory = memory;
    this.pins = pins;
    this.states = states;
    this.counters = counters;
    this.time = time;
    this.idleNanos = idleNanos;
  }

  int expiring() {
    return expiring;
  }

  int slots() {
    return slots;
  }

  @Nullable StoredValue at(int slot) {
    return values[slot];
  }

  /** The value under a key, unless its time is over. */
  @Nullable StoredValue live(ObjectKey key) {
    CacheEntry entry = cache.find(key.low(), key.high());
    StoredValue value = entry == null ? null : values[entry.slot()];
    if (value == null || !value.key.is(key.bytes())) {
      return null;
    }
    if (over(value, time.wallMillis())) {
      expire(value);
      return null;
    }
    return value;
  }

  /** Makes a value visible; its units are reserved, and its key has none. */
  StoredValue insert(ObjectKey key, long length, int units, StoredBytes bytes, long expiresAt) {
    CacheEntry same = cache.find(key.low(), key.high());
    StoredValue collides = same == null ? null : values[same.slot()];
    if (collides != null) {
      remove(collides, RemovalCause.REPLACED);
    }
    StoredValue value = new StoredValue(key, length, units, bytes);
    CacheEntry entry = cache.insert(key.low(), key.high(), units, RequestFacts.UNKNOWN);
    value.entry = entry;
    if (entry.slot() >= values.length) {
      values = Arrays.copyOf(values, Math.max(entry.slot() + 1, values.length * 2));
    }
    values[entry.slot()] = value;
    slots = Math.max(slots, entry.slot() + 1);
    counters.stored++;
    setExpiry(value, expiresAt);
    long now = time.wallMillis();
    if (over(value, now)) {
      expire(value);
    } else if (idleNanos > 0) {
      expirations.note(value, dueAt(value, now), cache.residentEntries());
    }
    return value;
  }

  void setExpiry(StoredValue value, long at) {
    expiring += (at == StoredValue.NEVER ? 0 : 1) - (value.expiresAt == StoredValue.NEVER ? 0 : 1);
    value.expiresAt = at;
    if (at != StoredValue.NEVER) {
      expirations.note(value, at, cache.residentEntries());
    }
  }

  /** Takes a value out of the cache; its memory goes with the last reader. */
  void remove(StoredValue value, RemovalCause cause) {
    pins.unpin(value, null);
    CacheEntry entry = requireNonNull(value.entry);
    boolean read = value.readers > 0;
    if (read) {
      cache.unpin(entry);
    }
    cache.remove(entry, cause);
    if (read && !cache.reserve(value.units, RequestFacts.UNKNOWN)) {
      throw new IllegalStateException("the units just given up are not free");
    }
  }

  void opened(StoredValue value) {
    counters.reading++;
    if (value.readers++ == 0) {
      cache.pin(requireNonNull(value.entry));
      value.state = states.changed(value.state, EntryState.REUSED);
    }
  }

  void closed(StoredValue value) {
    counters.reading--;
    if (--value.readers > 0) {
      return;
    }
    if (value.entry != null) {
      value.state = states.changed(value.state, EntryState.ACTIVE);
      cache.unpin(value.entry);
    } else {
      value.bytes.free(memory);
      cache.unreserve(value.units);
    }
  }

  /** Looks at some of those whose time may be over; whether there may be more. */
  boolean sweep(int most) {
    long now = time.wallMillis();
    pins.expire(now);
    for (int i = 0; i < most; i++) {
      StoredValue value = expirations.due(now);
      if (value == null) {
        return false;
      }
      if (over(value, now)) {
        expire(value);
      } else {
        expirations.note(value, dueAt(value, now), cache.residentEntries());
      }
    }
    return true;
  }

  /** Adds the keys in some slots to a list. */
  void list(int from, int end, Predicate<byte[]> wanted, List<byte[]> keys) {
    long now = time.wallMillis();
    for (int slot = from; slot < end; slot++) {
      StoredValue value = values[slot];
      if (value != null && !over(value, now) && wanted.test(value.key.bytes())) {
        keys.add(value.key.bytes());
      }
    }
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        left(batch.slot(i), batch.cause(i));
      }
    }
  }

  @Override
  public boolean hearsRequests() {
    return false;
  }

  private void left(int slot, RemovalCause cause) {
    StoredValue value = requireNonNull(values[slot]);
    values[slot] = null;
    value.entry = null;
    expiring -= value.expiresAt == StoredValue.NEVER ? 0 : 1;
    if (cause.forCapacity()) {
      counters.evicted++;
      counters.evictedUnits += value.units;
      value.state = states.changed(value.state, EntryState.EVICTING);
    }
    if (value.readers == 0) {
      value.bytes.free(memory);
    }
    value.state = states.changed(value.state, end(cause));
  }

  private static EntryState end(RemovalCause cause) {
    if (cause.forCapacity()) {
      return EntryState.EVICTED;
    }
    return cause == RemovalCause.EXPIRED ? EntryState.EXPIRED : EntryState.REMOVED;
  }

  private void expire(StoredValue value) {
    counters.expired++;
    remove(value, RemovalCause.EXPIRED);
  }

  /** Whether its time is over. A pinned value lasts without being used. */
  private boolean over(StoredValue value, long now) {
    return now >= value.expiresAt
        || (idleNanos > 0 && value.pins.isEmpty() && idleLeft(value) <= 0);
  }

  private long idleLeft(StoredValue value) {
    return idleNanos - (time.nanos() - requireNonNull(value.entry).lastAccessNanos());
  }

  private long dueAt(StoredValue value, long now) {
    if (idleNanos == 0) {
      return value.expiresAt;
    }
    // Whoever is pinned past its idle end is looked at again a whole idle time later.
    long left = idleLeft(value) > 0 ? idleLeft(value) : idleNanos;
    return Math.min(value.expiresAt, now + Math.ceilDiv(left, 1_000_000L));
  }
}

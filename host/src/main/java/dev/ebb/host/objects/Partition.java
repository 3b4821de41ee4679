package dev.ebb.host.objects;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.device.Device;
import dev.ebb.host.objects.StoredValue.PinNote;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of the store: memory, policy and accounts of its own, so that what happens in it moves
 * nobody else. One lock guards the accounts, and is held for a bounded time; bytes are copied
 * without it. The cache counts in units of 1 KiB: what a value weighs is what it takes.
 */
final class Partition implements AutoCloseable {

  private static final int GHOSTS = 1 << 16;
  private static final int SLICE = 1 << 10;

  final ReentrantLock lock = new ReentrantLock();
  final PartitionSpec spec;
  final BlockCache cache;
  final EntryStates states = new EntryStates();
  final OperatorPins pins;
  private final ObjectMemory memory;
  private final TimeSource time;
  private final Counters counters = new Counters();
  private final Residents residents;
  private final Room room;

  Partition(Device device, PartitionSpec spec, long idleNanos, double pinBudget, TimeSource time) {
    this.spec = spec;
    this.time = time;
    memory = new ObjectMemory(device, spec.bytes());
    cache =
        new BlockCache(
            memory.units(), time::nanos, new GhostWindow(GHOSTS), BlockCache.OnFault.FALL_BACK);
    pins = new OperatorPins(cache, (long) (memory.units() * pinBudget));
    residents = new Residents(cache, memory, pins, states, counters, time, idleNanos);
    room = new Room(cache, memory);
    cache.watch(residents);
  }

  ObjectMemory memory() {
    return memory;
  }

  void install(String name, BlockPolicy<?> policy) {
    lock.lock();
    try {
      cache.install(name, policy);
    } finally {
      lock.unlock();
    }
  }

  @Nullable ValueReader get(ObjectKey key) {
    lock.lock();
    try {
      StoredValue value = residents.live(key);
      if (value == null || value.entry == null) {
        counters.misses++;
        cache.missed(key.low());
        return null;
      }
      counters.hits++;
      cache.access(value.entry, RequestFacts.UNKNOWN);
      return reader(value);
    } finally {
      lock.unlock();
    }
  }

  ValueWriter write(ObjectKey key, long length) {
    long units = ObjectMemory.unitsFor(length + key.bytes().length);
    return new ValueWriter(this, key, length, units, units <= memory.units());
  }

  SetResult commit(ValueWriter writer, SetOptions options) {
    lock.lock();
    try {
      // First, since it may evict, and what is looked at then is to stay.
      StoredBytes bytes = writer.finish();
      StoredValue old = residents.live(writer.key);
      ValueReader reader = options.wantsOld() && old != null ? reader(old) : null;
      boolean met =
          switch (options.condition()) {
            case ALWAYS -> true;
            case IF_ABSENT -> old == null;
            case IF_PRESENT -> old != null;
          };
      if (!met) {
        writer.drop(bytes);
        return new SetResult(SetResult.Outcome.UNMET, reader);
      }
      long expiresAt =
          switch (options.expiry()) {
            case NONE -> StoredValue.NEVER;
            case KEEP -> old == null ? StoredValue.NEVER : old.expiresAt;
            case AT -> options.expiresAt();
          };
      List<PinNote> pinned = old == null ? List.of() : old.pins;
      if (old != null) {
        residents.remove(old, RemovalCause.REPLACED);
      }
      if (bytes == null) {
        writer.drop(null);
        counters.notAdmitted++;
        return new SetResult(SetResult.Outcome.NOT_KEPT, reader);
      }
      writer.committed();
      StoredValue value =
          residents.insert(writer.key, writer.length, (int) writer.units, bytes, expiresAt);
      if (value.entry != null) {
        pins.carry(pinned, value);
      }
      return new SetResult(SetResult.Outcome.STORED, reader);
    } finally {
      lock.unlock();
    }
  }

  boolean delete(ObjectKey key) {
    lock.lock();
    try {
      StoredValue value = residents.live(key);
      if (value != null) {
        residents.remove(value, RemovalCause.DELETED);
      }
      return value != null;
    } finally {
      lock.unlock();
    }
  }

  long length(ObjectKey key) {
    lock.lock();
    try {
      StoredValue value = residents.live(key);
      return value == null ? -1 : value.length;
    } finally {
      lock.unlock();
    }
  }

  long expiresAt(ObjectKey key) {
    lock.lock();
    try {
      StoredValue value = residents.live(key);
      return value == null ? -1 : value.expiresAt;
    } finally {
      lock.unlock();
    }
  }

  boolean expire(ObjectKey key, long at, LongPredicate condition) {
    lock.lock();
    try {
      StoredValue value = residents.live(key);
      if (value == null || !condition.test(value.expiresAt)) {
        return false;
      }
      residents.setExpiry(value, at);
      residents.live(key);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Removes what was there when it began, a slice at a time. */
  void clear() {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      lock.lock();
      try {
        int end = Math.min(residents.slots(), from + SLICE);
        for (int slot = from; slot < end; slot++) {
          StoredValue value = residents.at(slot);
          if (value != null) {
            residents.remove(value, RemovalCause.DELETED);
          }
        }
        more = end < residents.slots();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Lists keys from a slot on; the slot to go on with, or -1 if that was all. */
  long scan(long from, int steps, Predicate<byte[]> wanted, List<byte[]> keys) {
    lock.lock();
    try {
      int slots = residents.slots();
      int start = (int) Math.min(from, slots);
      int end = (int) Math.min(slots, (long) start + steps);
      residents.list(start, end, wanted, keys);
      return end >= slots ? -1 : end;
    } finally {
      lock.unlock();
    }
  }

  boolean sweep(int most) {
    lock.lock();
    try {
      return residents.sweep(most);
    } finally {
      lock.unlock();
    }
  }

  /** Does something with the live value under a key, or with null. */
  <T> T with(ObjectKey key, ValueFunction<T> action) {
    lock.lock();
    try {
      return action.apply(residents.live(key));
    } finally {
      lock.unlock();
    }
  }

  /** What an operator's look or wish does with a value, under the lock. */
  @FunctionalInterface
  interface ValueFunction<T> {
    T apply(@Nullable StoredValue value);
  }

  List<Pin> pins() {
    lock.lock();
    try {
      pins.expire(time.wallMillis());
      List<Pin> all = new ArrayList<>();
      pins.values().forEach(value -> all.addAll(Views.pins(value, spec.name())));
      return all;
    } finally {
      lock.unlock();
    }
  }

  PartitionStats stats() {
    lock.lock();
    try {
      return new PartitionStats(
          spec.name(),
          spec.tenant(),
          new StoreStats(
              cache.residentEntries(),
              residents.expiring(),
              cache.occupiedBlocks() * ObjectMemory.UNIT_BYTES,
              cache.capacityBlocks() * ObjectMemory.UNIT_BYTES,
              cache.policyName(),
              counters.hits,
              counters.misses,
              counters.stored,
              counters.evicted,
              counters.evictedUnits * ObjectMemory.UNIT_BYTES,
              counters.expired,
              counters.notAdmitted,
              counters.reading,
              pins.count(),
              pins.units() * ObjectMemory.UNIT_BYTES,
              states.counts()));
    } finally {
      lock.unlock();
    }
  }

  /** Removes a value for room's sake. The lock is held. */
  void evict(StoredValue value) {
    residents.remove(value, RemovalCause.EVICTED);
  }

  boolean takeBlocks(int[] into, int from, int count) {
    lock.lock();
    try {
      return room.takeBlocks(into, from, count, RequestFacts.UNKNOWN);
    } finally {
      lock.unlock();
    }
  }

  long takeSmall(int units) {
    lock.lock();
    try {
      return room.takeSmall(units, RequestFacts.UNKNOWN);
    } finally {
      lock.unlock();
    }
  }

  void abandoned(StoredBytes bytes, long units) {
    lock.lock();
    try {
      room.giveBack(bytes, units);
    } finally {
      lock.unlock();
    }
  }

  void readerClosed(StoredValue value) {
    lock.lock();
    try {
      residents.closed(value);
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    lock.lock();
    try {
      cache.close();
      memory.close();
    } finally {
      lock.unlock();
    }
  }

  private ValueReader reader(StoredValue value) {
    residents.opened(value);
    return new ValueReader(this, value);
  }
}

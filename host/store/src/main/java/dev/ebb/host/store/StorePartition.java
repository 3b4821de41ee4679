package dev.ebb.host.store;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.cache.Explanation;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.OnFault;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.cache.ThreadedBlockCache;
import dev.ebb.host.device.Device;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of the store with memory, policy and records of its own, isolated from other parts. One
 * lock guards the records, and is held for a bounded time; bytes are copied without it. The cache
 * counts in units of 1 KiB: a value's weight is its memory.
 */
final class StorePartition implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StorePartition.class);

  /** The cache's own ghost window is not used: {@link PrematureEvictions} has more data. */
  private static final int GHOSTS = 1;

  private static final int SLICE = 1 << 10;

  private final ReentrantLock lock = new ReentrantLock();
  final PartitionSpec spec;
  final EntryStates states = new EntryStates();
  final OperatorPins pins;
  final BlockCache cache;

  /** The same cache, if its policy runs on its own thread. */
  private final @Nullable ThreadedBlockCache threaded;

  private final ObjectMemory memory;
  private final HeapCharge charge;
  private final TimeSource time;
  private final StoreCounters counters = new StoreCounters();
  private final Lifetimes lifetimes;
  private final AccessListeners listeners = new AccessListeners();
  private final ValueTable residents;
  private final SpaceAllocator allocator;
  private final ValuePublisher commit;

  StorePartition(
      Device device,
      PartitionSpec spec,
      StoreOptions options,
      HeapCharge charge,
      TimeSource time,
      EvictionLog log) {
    this.charge = charge;
    this.spec = spec;
    this.time = time;
    memory = new ObjectMemory(device, spec.bytes());
    GhostWindow ghosts = new GhostWindow(GHOSTS);
    threaded =
        options.limits() == null
            ? null
            : new ThreadedBlockCache(memory.units(), time::nanos, ghosts, options.limits(), lock);
    cache =
        threaded == null
            ? new InlineBlockCache(memory.units(), time::nanos, ghosts, OnFault.FALL_BACK)
            : threaded;
    pins = new OperatorPins(cache, (long) (memory.units() * options.pinBudget()));
    lifetimes = new Lifetimes(time, options.idle().toNanos());
    residents =
        new ValueTable(cache, memory, pins, states, counters, lifetimes, listeners, time, charge);
    allocator = new SpaceAllocator(cache, memory);
    commit = new ValuePublisher(residents, memory, pins, counters, time);
    cache.onRemoval(residents);
    cache.log(log, residents::name);
    cache.onFault(this::report);
  }

  private void report(PolicyFault fault) {
    LOG.error(
        "policy failed partition={} kind={} reason=\"{}\"",
        spec.name(),
        fault.kind(),
        fault.getMessage());
  }

  ObjectMemory memory() {
    return memory;
  }

  /** Returns a consistent picture of the memory, under the lock. */
  MemoryMap map() {
    return locked(() -> {
      MemoryMap map = memory.map(spec.name());
      residents.each(0, residents.slots(), map::mark);
      return map;
    });
  }

  MemoryMap.Summary summary() {
    return locked(() -> memory.summary(spec.name()));
  }

  /** Runs an action under the lock. */
  <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Runs an action with the value under a key, or with null. */
  <T> T with(ObjectKey key, Function<@Nullable StoredValue, T> action) {
    lock.lock();
    try {
      return action.apply(residents.find(key));
    } finally {
      lock.unlock();
    }
  }

  void limits(EvictionLimits limits) {
    if (threaded == null) {
      throw new IllegalStateException("the policy runs on its caller's thread");
    }
    lock.lock();
    try {
      threaded.limits(limits);
    } finally {
      lock.unlock();
    }
  }

  /** Opens a value, or returns null and counts a miss for the labels. */
  @Nullable ValueReader get(ObjectKey key, LabelTable labels) {
    lock.lock();
    try {
      StoredValue value = residents.find(key);
      if (value == null) {
        missed(key, labels);
        return null;
      }
      // A chunk's attachment is read before its bytes: that is one use, not two.
      if (value.entry != null) {
        counters.hits++;
        value.labels.hit();
        cache.access(value.entry, value.labels.facts());
        listeners.hit(value.key.low(), value.units, value.labels.facts());
      }
      counters.bytesRead += value.length;
      return reader(value);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether there is a value. An engine that finds no attachment does not request the
   * chunk.
   */
  boolean exists(ObjectKey key, LabelTable labels) {
    lock.lock();
    try {
      boolean there = residents.find(key) != null;
      if (!there && key.role() == KeyRole.ATTACHMENT && residents.main(key) == null) {
        missed(key, labels);
      }
      return there;
    } finally {
      lock.unlock();
    }
  }

  ValueWriter write(ObjectKey key, long length, KeyLabels labels) {
    long units = charge.units(key, length);
    return new ValueWriter(this, key, length, units, units <= memory.units(), labels);
  }

  SetResult commit(ValueWriter writer, SetOptions options) {
    lock.lock();
    try {
      StoredValue main = writer.attachable() ? residents.main(writer.key) : null;
      // First, because it may evict and wait, and the values read next must stay.
      StoredBytes bytes = writer.finish(main == null);
      main = writer.attachable() ? residents.main(writer.key) : null;
      StoredValue old = residents.find(writer.key);
      ValueReader reader = options.wantsOld() && old != null ? reader(old) : null;
      if (!ValuePublisher.met(options, old)) {
        writer.drop(bytes);
        return new SetResult(SetResult.Outcome.UNMET, reader);
      }
      boolean attached = main != null;
      SetResult result = new SetResult(commit.replace(writer, bytes, old, main, options), reader);
      if (!attached) {
        listeners.stored(writer.key.low(), writer.units, writer.labels.facts());
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  boolean delete(ObjectKey key) {
    return with(
        key,
        value -> {
          if (value == null) {
            listeners.removed(key.low(), RemovalCause.DELETED);
            return false;
          }
          residents.delete(value, RemovalCause.DELETED);
          return true;
        });
  }

  void expireAt(StoredValue value, long at) {
    residents.expireAt(value, at);
  }

  void evict(StoredValue value) {
    residents.remove(value, RemovalCause.EVICTED);
  }

  void clear() {
    locked(() -> {
      listeners.cleared();
      return true;
    });
    each(value -> residents.remove(value, RemovalCause.DELETED));
  }

  void idle(long nanos) {
    locked(() -> {
      lifetimes.idle(nanos);
      return true;
    });
    each(value -> lifetimes.lookAgain(value, residents.keys()));
  }

  void pinBudget(double share) {
    locked(() -> {
      pins.budget((long) (memory.units() * share));
      return true;
    });
  }

  PolicyPlace place() {
    return new PolicyPlace(spec.name(), lock, cache, listeners);
  }

  /** Runs an action with every value that exists when it starts, a slice at a time. */
  void each(Consumer<StoredValue> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      more = locked(() -> residents.each(start, SLICE, action));
    }
  }

  /** Lists keys from a slot on; returns the next slot, or -1 at the end. */
  long scan(long from, int steps, Predicate<byte[]> wanted, List<byte[]> keys) {
    int start = (int) Math.min(from, Integer.MAX_VALUE - steps);
    return locked(() ->
        residents.each(start, steps, value -> residents.list(value, wanted, keys))
            ? (long) start + steps
            : -1);
  }

  boolean sweep(int most) {
    return locked(() -> {
      pins.expire(time.wallMillis());
      return residents.sweep(most);
    });
  }

  List<Pin> pins() {
    return locked(() -> {
      pins.expire(time.wallMillis());
      List<Pin> all = new ArrayList<>();
      pins.values().forEach(value -> all.addAll(Views.pins(value, spec.name())));
      return all;
    });
  }

  @Nullable Explanation explain(ObjectKey key) {
    return with(
        key,
        value -> {
          StoredValue whole = value == null || value.owner == null ? value : value.owner;
          return whole == null || whole.entry == null ? null : cache.explain(whole.entry);
        });
  }

  PartitionStats stats() {
    return locked(() ->
        new PartitionStats(
            spec.name(),
            spec.tenant(),
            cache.stats(),
            new StoreStats(
                residents.keys(),
                lifetimes.expiring(),
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
                counters.notAdmittedUnits * ObjectMemory.UNIT_BYTES,
                counters.bytesRead,
                counters.bytesWritten,
                counters.reading,
                pins.count(),
                pins.units() * ObjectMemory.UNIT_BYTES,
                counters.storing.copy(),
                counters.handingOut.copy(),
                counters.allocating.copy(),
                counters.prematureEvictions.stats(),
                states.counts())));
  }

  long nanos() {
    return time.nanos();
  }

  boolean takeBlocks(int[] into, int from, int count, RequestFacts asker) {
    lock.lock();
    try {
      long start = time.nanos();
      boolean taken = allocator.takeBlocks(into, from, count, asker);
      counters.allocating.add(time.nanos() - start);
      return taken;
    } finally {
      lock.unlock();
    }
  }

  long takeSmall(int units, RequestFacts asker) {
    lock.lock();
    try {
      long start = time.nanos();
      long unit = allocator.takeSmall(units, asker);
      counters.allocating.add(time.nanos() - start);
      return unit;
    } finally {
      lock.unlock();
    }
  }

  void abandoned(StoredBytes bytes, long units) {
    lock.lock();
    try {
      allocator.giveBack(bytes, units);
    } finally {
      lock.unlock();
    }
  }

  void readerClosed(StoredValue value, long nanos) {
    lock.lock();
    try {
      counters.handingOut.add(nanos);
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

  private void missed(ObjectKey key, LabelTable labels) {
    counters.misses++;
    if (residents.main(key) == null) {
      KeyLabels of = labels.of(key.bytes());
      of.missed();
      listeners.missed(key.entryLow(), of.facts());
      counters.prematureEvictions.missed(key.entryLow(), time.nanos());
    }
  }

  private ValueReader reader(StoredValue value) {
    residents.opened(value);
    return new ValueReader(this, value);
  }
}

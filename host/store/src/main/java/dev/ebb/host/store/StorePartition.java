package dev.ebb.host.store;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.Admission;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.ThreadedBlockCache;
import dev.ebb.host.cache.UselessObjects;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.Device;
import dev.ebb.host.store.chain.Chains;
import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.chain.RequestReads;
import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.lease.LookupLeases;
import dev.ebb.host.store.lease.OperatorPins;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.store.stats.EntryStates;
import dev.ebb.host.store.stats.HybridStats;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.PrematureEvictionStats;
import dev.ebb.host.store.stats.StoreCounters;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.store.value.HeapCharge;
import dev.ebb.host.store.value.Lifetimes;
import dev.ebb.host.store.value.MemoryMap;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
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

  /** How many evicted entries are remembered, to detect premature evictions. */
  private static final int GHOSTS = 1 << 16;

  /** Entries that are looked at in a sweep, to measure what no prompt can use. */
  private static final int MEASURED = 1 << 10;

  final ReentrantLock lock = new ReentrantLock();
  final PartitionSpec spec;
  final EntryStates states = new EntryStates();
  final StoreCounters counters = new StoreCounters();
  final AccessListeners listeners = new AccessListeners();
  final OperatorPins pins;
  final LookupLeases leases;
  final BlockCache cache;
  final ObjectMemory memory;
  final ValueTable values;
  final Chains chains;
  final Lookups lookups;
  final UselessObjects useless;

  final PolicyPlace place;

  private final HeapCharge charge;
  private final TimeSource time;
  private final Lifetimes lifetimes;

  /** The versions of new values. Guarded by the lock. */
  LongSupplier versions = () -> 0;

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
    GhostWindow ghosts = new GhostWindow(GHOSTS, time);
    cache =
        options.limits == null
            ? new InlineBlockCache(memory.units(), time, ghosts, OnFault.FALL_BACK)
            : new ThreadedBlockCache(memory.units(), time, ghosts, options.limits, lock);
    if (options.respectPriority) {
      cache.respectPriority();
    }
    place = new PolicyPlace(spec.name(), lock, cache, listeners, ObjectMemory.UNIT_BYTES);
    pins = new OperatorPins(cache, (long) (memory.units() * options.pinBudget));
    leases = new LookupLeases(cache, time, options.lookupLease.toNanos());
    lifetimes = new Lifetimes(time, time::wallMillis, options.idle.toNanos());
    values = new ValueTable(this, lifetimes, charge, time);
    chains = values.chains();
    lookups = new Lookups(this);
    useless = new UselessObjects(cache, values::isReachable);
    cache.onRemoval(values);
    cache.log(log, ObjectMemory.UNIT_BYTES, values::name);
    cache.onFault(this::report);
  }

  private void report(PolicyFault fault) {
    LOG.error(
        "policy failed partition={} kind={} reason=\"{}\"",
        spec.name(),
        fault.kind(),
        fault.getMessage());
  }

  MemoryMap map() {
    return place.locked(() -> {
      MemoryMap map = memory.map(spec.name());
      values.each(0, values.slots(), map::mark);
      return map;
    });
  }

  /** Opens a value in memory; {@link #answered} counts a miss if others are asked for it. */
  @Nullable ValueReader get(ObjectKey key, @Nullable StoreConnection by, boolean asksElsewhere) {
    lock.lock();
    try {
      StoredValue main = values.main(key);
      StoredValue value = values.find(key, main);
      boolean used = chains.read(by, key, value != null && value.whole().lookups() > 0);
      if (value == null) {
        lookups.missedHere(key, main, true);
        if (!asksElsewhere) {
          lookups.countMiss(key, main);
        }
        return null;
      }
      value.wasRead();
      // A chunk's attachment is read before its bytes: that is one use, not two.
      if (value.units() > 0) {
        counters.hits++;
        value.key.labels().hit();
        countRestored(value, value.length, by);
      }
      if (used) {
        used(value);
      }
      counters.bytesRead += value.length;
      ValueReader reader = reader(value);
      RequestReads reads = chains.reads;
      reader.by = reads == null ? null : reads.of(by, key);
      // The reader holds the value now. After an attachment its bytes are still to be read.
      if (value.units() > 0 && value.whole().lookups() > 0 && value.key.labels().isOfFullGroup()) {
        leases.read(value.whole());
      }
      return reader;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the trace context of the request that a value is read for; null without one. */
  @Nullable String trace(ObjectKey key, StoreConnection by) {
    return place.locked(() -> {
      RequestReads reads = chains.reads;
      return reads == null ? null : reads.trace(by, key);
    });
  }

  /** Counts what a client received for a key that memory had no value of; null for a miss. */
  void answered(ObjectKey key, @Nullable ValuePart part, StoreConnection by) {
    lock.lock();
    try {
      if (part == null) {
        lookups.countMiss(key, values.main(key));
        return;
      }
      counters.bytesRead += part.length();
      if (key.isAttachment()) {
        return;
      }
      counters.hits++;
      key.labels().hit();
      if (part.reader().partition() == this) {
        countRestored(part.reader().value(), part.length(), by);
      } else {
        readElsewhere(by, key, false);
        counters.nodeHits++;
        counters.nodeHitBytes += part.length();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Counts a hit of a value that was read from the disk for it. */
  private void countRestored(StoredValue value, long bytes, @Nullable StoreConnection by) {
    if (value.takeRestored()) {
      counters.diskHits++;
      counters.diskHitBytes += bytes;
      readElsewhere(by, value.key, true);
    }
  }

  private void readElsewhere(@Nullable StoreConnection by, ObjectKey key, boolean disk) {
    RequestReads reads = chains.reads;
    if (reads != null) {
      reads.elsewhere(by, key, disk);
    }
  }

  /**
   * Records a use of a value. Each worker reads its own value of a chunk, which is one use, as are
   * the reads of its objects of several groups; what is not published is new.
   */
  private void used(StoredValue value) {
    KeyLabels labels = value.key.labels();
    if (labels.isHybrid() && !value.key.standsForAll()) {
      return;
    }
    StoredValue chunk = labels.isHybrid() ? value.whole() : value;
    CacheEntry entry = chunk.entry();
    if (entry != null && chunk.isPublished()) {
      cache.access(entry, labels.facts());
      listeners.hit(chunk.key.low(), chunk.weight(), labels.facts());
    }
  }

  ValueWriter write(ObjectKey key, long length, @Nullable StoreConnection by) {
    StoredValue value = new StoredValue(key, length, charge.units(key, length));
    return new ValueWriter(this, value, value.units() <= memory.units(), by);
  }

  boolean delete(ObjectKey key) {
    lock.lock();
    try {
      StoredValue value = values.find(key);
      if (value == null) {
        listeners.removed(key.low(), RemovalCause.DELETED);
        return false;
      }
      values.delete(value, RemovalCause.DELETED);
      return true;
    } finally {
      lock.unlock();
    }
  }

  void clear() {
    place.locked(listeners::cleared);
    values.each(value -> values.removeWhole(value, RemovalCause.DELETED));
  }

  void idle(long nanos) {
    place.locked(() -> lifetimes.idle(nanos));
    values.each(lifetimes::scheduleCheck);
  }

  void evictionListener(EvictionListener listener) {
    values.onEviction((value, evicted) -> passOn(value, evicted, listener));
  }

  /** Passes an evicted value on. It takes memory until its reader is closed. */
  private void passOn(StoredValue value, EvictedValue evicted, EvictionListener listener) {
    EvictionListener taker = listener.taker(evicted);
    if (taker == null) {
      return;
    }
    boolean brief = taker.isBrief();
    if (brief ? cache.reserveLeaving(value.units()) : cache.reserveFree(value.units())) {
      counters.reading++;
      value.opened();
      taker.evicted(evicted, new ValueReader(this, value, false, brief));
    }
  }

  /** Opens a value, which is not a use and counts as nothing. */
  @Nullable ValueReader open(ObjectKey key, boolean used) {
    return place.locked(() -> {
      StoredValue value = values.find(key);
      if (value == null) {
        return null;
      }
      if (used && value.units() > 0) {
        used(value);
      }
      return reader(value, false);
    });
  }

  /** Removes a value with its attachment, unless it is newer; returns whether it was removed. */
  boolean deleteUpTo(ObjectKey key, long version) {
    return place.locked(() -> {
      StoredValue value = values.find(key);
      if (value == null || value.version() > version) {
        return false;
      }
      values.remove(value, RemovalCause.DELETED);
      return true;
    });
  }

  boolean sweep(int most) {
    return place.locked(() -> {
      pins.expire(time.wallMillis());
      leases.expire();
      chains.sweep();
      useless.step(MEASURED);
      return values.sweep(most);
    });
  }

  List<Pin> pins() {
    return place.locked(() -> {
      pins.expire(time.wallMillis());
      List<Pin> all = new ArrayList<>();
      pins.values().forEach(value -> all.addAll(Pin.of(value, spec.name())));
      return all;
    });
  }

  @Nullable Explanation explain(@Nullable StoredValue value) {
    CacheEntry entry = value == null ? null : value.whole().entry();
    return entry == null ? null : cache.explain(entry);
  }

  private HybridStats hybrid() {
    CacheStats.Amount thinned = cache.thinned();
    CacheStats.Amount evicted = cache.evictedUseless();
    return new HybridStats(
        chains.lostHits(),
        useless.blocks() * ObjectMemory.UNIT_BYTES,
        thinned.entries(),
        thinned.blocks() * ObjectMemory.UNIT_BYTES,
        evicted.entries(),
        evicted.blocks() * ObjectMemory.UNIT_BYTES);
  }

  PartitionStats stats() {
    return place.locked(() ->
        new PartitionStats(
            spec.name(),
            spec.tenant(),
            cache.stats(),
            new StoreStats(
                values.keys(),
                lifetimes.expiring(),
                cache.occupiedBlocks() * ObjectMemory.UNIT_BYTES,
                cache.capacityBlocks() * ObjectMemory.UNIT_BYTES,
                counters.hits,
                counters.misses,
                counters.sources(),
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
                leases.stats(),
                chains.stats(),
                hybrid(),
                counters.storing.copy(),
                counters.handingOut.copy(),
                counters.allocating.copy(),
                PrematureEvictionStats.of(cache.ghosts(), ObjectMemory.UNIT_BYTES),
                states.counts())));
  }

  long nanos() {
    return time.nanos();
  }

  /**
   * Allocates a small value's slot, or a value's next blocks, evicting as needed. All or nothing.
   */
  boolean take(StoredValue value, int from, int count, @Nullable StoreConnection by) {
    lock.lock();
    long start = time.nanos();
    long evicted = counters.evicted;
    try {
      leases.expire();
      RequestFacts asker = chains.storingFor(value);
      long units = value.isSmall() ? value.units() : (long) count * ObjectMemory.BLOCK_UNITS;
      ObjectKey key = value.key;
      Admission answer = cache.reserve(units, asker, key.entryLow(), key.entryHigh());
      if (answer == Admission.NO_SPACE) {
        chains.completeAll();
        answer = cache.reserve(units, asker, key.entryLow(), key.entryHigh());
      }
      if (answer != Admission.ADMITTED) {
        return false;
      }
      // Enough units are free, but they may lie in blocks that small values share.
      while (!memory.allocate(value, from, count)) {
        long more = Math.max(units, ObjectMemory.BLOCK_UNITS);
        if (cache.evict(more, Demand.Reason.ALLOCATION, asker) == 0) {
          cache.unreserve(units);
          return false;
        }
      }
      return true;
    } finally {
      long nanos = time.nanos() - start;
      counters.allocating.add(nanos);
      if (by != null) {
        by.allocated(counters.evicted - evicted, nanos);
      }
      lock.unlock();
    }
  }

  /** Does the same without an eviction. */
  boolean takeFree(StoredValue value, int from, int count) {
    return place.locked(() -> {
      long units = value.isSmall() ? value.units() : (long) count * ObjectMemory.BLOCK_UNITS;
      if (!cache.reserveFree(units)) {
        return false;
      }
      boolean taken = memory.allocate(value, from, count);
      if (!taken) {
        cache.unreserve(units);
      }
      return taken;
    });
  }

  void notAdmitted(StoredValue value) {
    place.locked(() -> {
      counters.notAdmitted++;
      counters.notAdmittedUnits += value.units();
    });
  }

  void giveBack(StoredValue value, int blocks) {
    lock.lock();
    try {
      long units = value.hasSlot() ? value.units() : (long) blocks * ObjectMemory.BLOCK_UNITS;
      value.free(memory, blocks);
      cache.unreserve(units);
    } finally {
      lock.unlock();
    }
  }

  /** Releases a value that was read for so long, or negative for a time that does not count. */
  void readerClosed(StoredValue value, long nanos, boolean leaving, @Nullable ObservedRequest by) {
    lock.lock();
    try {
      if (nanos >= 0) {
        counters.handingOut.add(nanos);
        if (by != null) {
          by.hasRead(nanos);
        }
      }
      values.closed(value, leaving);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    place.locked(() -> {
      cache.close();
      memory.close();
    });
  }

  ValueReader reader(StoredValue value) {
    return reader(value, true);
  }

  private ValueReader reader(StoredValue value, boolean timed) {
    values.opened(value);
    return new ValueReader(this, value, timed);
  }
}

package dev.ebb.host.store;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.Admission;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
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
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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

  private static final int SLICE = 1 << 10;

  /** How many slots a scan reads at a time. */
  private static final int SCAN_SLICE = 16;

  /** A page of a scan ends behind so many bytes of keys, or after this time. */
  private static final long SCAN_BYTES = 1 << 20;

  private static final long SCAN_NANOS = 10_000_000;

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

  /** Its lock, cache and listeners, as the policy runtime sees them. */
  final PolicyPlace place;

  /** The same cache, if its policy runs on its own thread. */
  private final @Nullable ThreadedBlockCache threaded;

  private final HeapCharge charge;
  private final TimeSource time;
  private final Lifetimes lifetimes;

  /** The versions of new values. */
  private LongSupplier versions = () -> 0;

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
    threaded =
        options.limits() == null
            ? null
            : new ThreadedBlockCache(memory.units(), time, ghosts, options.limits(), lock);
    cache =
        threaded == null
            ? new InlineBlockCache(memory.units(), time, ghosts, OnFault.FALL_BACK)
            : threaded;
    if (options.respectPriority()) {
      cache.respectPriority();
    }
    place = new PolicyPlace(spec.name(), lock, cache, listeners);
    pins = new OperatorPins(cache, (long) (memory.units() * options.pinBudget()));
    leases = new LookupLeases(cache, time, options.lookupLease().toNanos());
    lifetimes = new Lifetimes(time, options.idle().toNanos());
    values =
        new ValueTable(
            cache,
            memory,
            pins,
            leases,
            states,
            counters,
            lifetimes,
            listeners,
            charge,
            options.chains(),
            time);
    chains = values.chains();
    cache.onRemoval(values);
    cache.log(log, values::name);
    cache.onFault(this::report);
  }

  private void report(PolicyFault fault) {
    LOG.error(
        "policy failed partition={} kind={} reason=\"{}\"",
        spec.name(),
        fault.kind(),
        fault.getMessage());
  }

  /** Returns a consistent picture of the memory, under the lock. */
  MemoryMap map() {
    return place.locked(() -> {
      MemoryMap map = memory.map(spec.name());
      values.each(0, values.slots(), map::mark);
      return map;
    });
  }

  MemoryMap.Summary summary() {
    return place.locked(() -> memory.summary(spec.name()));
  }

  void limits(EvictionLimits limits) {
    if (threaded == null) {
      throw new IllegalStateException("the policy runs on its caller's thread");
    }
    place.locked(() -> threaded.limits(limits));
  }

  /** Opens a value, or returns null and counts a miss for the labels. */
  @Nullable ValueReader get(ObjectKey key, LabelTable labels, @Nullable StoreConnection by) {
    lock.lock();
    try {
      StoredValue value = values.find(key);
      boolean chained = by != null && (by.states() || chains.covers(key));
      boolean found = by != null && chained && chains.read(this, by, key);
      if (value == null) {
        missed(key, labels, true);
        return null;
      }
      value.whole().reads++;
      // A chunk's attachment is read before its bytes: that is one use, not two.
      if (value.units > 0) {
        counters.hits++;
        value.labels.hit();
      }
      // Each worker reads its own value of a chunk: that is one use as well.
      if (value.entry != null) {
        // The lookup that found a chunk of a chain is its use, and what is not published is new.
        if (value.request == null && !found && !(chained && value.list() != null)) {
          cache.access(value.entry, value.labels.facts());
          listeners.hit(value.key.low(), value.weight(), value.labels.facts());
        }
      }
      counters.bytesRead += value.length;
      ValueReader reader = reader(value);
      // The reader holds the value now. After an attachment its bytes are still to be read.
      leases.read(value.units > 0 ? value.whole() : value);
      return reader;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether there is a value, which it leases. An engine that finds no attachment does not
   * request the chunk.
   *
   * @param elsewhere whether another node has one if this one does not: it will be requested
   */
  boolean exists(
      ObjectKey key, LabelTable labels, @Nullable StoreConnection by, boolean elsewhere) {
    lock.lock();
    try {
      StoredValue value = values.find(key);
      boolean chained = lookedUp(key, labels, by, value != null, elsewhere);
      if (value != null) {
        leases.grant(value.whole());
      } else if (!elsewhere && key.role() == KeyRole.ATTACHMENT && values.main(key) == null) {
        missed(key, labels, !chained);
      }
      return value != null || elsewhere;
    } finally {
      lock.unlock();
    }
  }

  /**
   * As {@link #exists}, but an attachment counts only with the chunk's bytes, and every miss is
   * counted: a client that matches keys requests only those that were found.
   */
  boolean match(ObjectKey key, LabelTable labels, @Nullable StoreConnection by, boolean elsewhere) {
    lock.lock();
    try {
      StoredValue value = matched(key);
      boolean chained = lookedUp(key, labels, by, value != null, elsewhere);
      return (value == null && elsewhere) || leased(value, key, labels, !chained);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts a request whose client states its keys.
   *
   * @param elsewhere the indexes of keys that are missing here and have values on other nodes
   * @return how many of the first keys have values; those that are here it leases
   */
  int begin(ObservedRequest request, List<ObjectKey> keys, LabelTable labels, BitSet elsewhere) {
    lock.lock();
    try {
      int found = 0;
      int reached = 0;
      boolean more = true;
      while (more && reached < keys.size()) {
        ObjectKey key = keys.get(reached);
        StoredValue value = matched(key);
        more = (value == null && elsewhere.get(reached)) || leased(value, key, labels, false);
        found += value != null && found == reached ? 1 : 0;
        reached += more ? 1 : 0;
      }
      chains.begin(request, keys, found, reached);
      return reached;
    } finally {
      lock.unlock();
    }
  }

  /** Records a lookup; returns whether it belongs to a request, which is reported as a whole. */
  private boolean lookedUp(
      ObjectKey key,
      LabelTable labels,
      @Nullable StoreConnection by,
      boolean found,
      boolean elsewhere) {
    if (by == null || by.states() || !chains.covers(key)) {
      return false;
    }
    if (stands(key, labels)) {
      chains.lookedUp(this, by, key, labels, found, elsewhere);
      return true;
    }
    by.missed = found || elsewhere ? by.missed : key.entryLow();
    return false;
  }

  private static boolean stands(ObjectKey key, LabelTable labels) {
    return !key.sharded() || labels.of(key.bytes()).standsFor(key);
  }

  /** Returns whether a key has no value that a prompt can be continued from. */
  boolean isMissing(ObjectKey key) {
    return place.locked(() -> matched(key) == null);
  }

  private @Nullable StoredValue matched(ObjectKey key) {
    StoredValue value = values.find(key);
    boolean half = key.role() == KeyRole.ATTACHMENT && values.main(key) == null;
    return half ? null : value;
  }

  private boolean leased(
      @Nullable StoredValue value, ObjectKey key, LabelTable labels, boolean reported) {
    if (value == null) {
      missed(key, labels, reported);
      return false;
    }
    leases.grant(value.whole());
    return true;
  }

  ValueWriter write(ObjectKey key, long length, KeyLabels labels, @Nullable StoreConnection by) {
    StoredValue value = new StoredValue(key, length, charge.units(key, length), labels);
    return new ValueWriter(this, value, value.units <= memory.units(), by);
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
    each(value -> values.removeWhole(value, RemovalCause.DELETED));
  }

  void idle(long nanos) {
    place.locked(() -> lifetimes.idle(nanos));
    each(lifetimes::scheduleCheck);
  }

  void lookupLease(long nanos) {
    place.locked(() -> leases.duration(nanos));
  }

  void keyListener(KeyListener listener) {
    place.locked(() -> values.keyListener(listener));
  }

  void evictionListener(EvictionListener listener) {
    place.locked(() -> values.onEviction(value -> passOn(value, listener)));
  }

  /** Passes an evicted value on. It takes memory until its reader is closed. */
  private void passOn(StoredValue value, EvictionListener listener) {
    if (listener.wants(value.key.bytes(), value.length) && cache.reserveFree(value.units)) {
      counters.reading++;
      value.readers++;
      listener.evicted(value.key.bytes(), new ValueReader(this, value, false));
    }
  }

  void changeListener(ChangeListener listener) {
    place.locked(() -> values.changeListener(listener));
  }

  void versions(LongSupplier next) {
    place.locked(() -> versions = next);
  }

  /** Returns the version of a new value; the lock is held. */
  long nextVersion() {
    return versions.getAsLong();
  }

  /** Opens a value, which is not a use and counts as nothing. */
  @Nullable ValueReader open(ObjectKey key, boolean used) {
    return place.locked(() -> {
      StoredValue value = values.find(key);
      if (value == null) {
        return null;
      }
      if (used && value.units > 0 && value.entry != null && value.request == null) {
        cache.access(value.entry, value.labels.facts());
        listeners.hit(value.key.low(), value.weight(), value.labels.facts());
      }
      return reader(value, false);
    });
  }

  /** Removes a value with its attachment, unless it is newer; returns whether it was removed. */
  boolean deleteUpTo(ObjectKey key, long version) {
    return place.locked(() -> {
      StoredValue value = values.find(key);
      if (value == null || value.version > version) {
        return false;
      }
      values.remove(value, RemovalCause.DELETED);
      return true;
    });
  }

  void pinBudget(double share) {
    place.locked(() -> pins.budget((long) (memory.units() * share)));
  }

  /** Runs an action with every value that exists when it starts, a slice at a time. */
  void each(Consumer<StoredValue> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      more = place.locked(() -> values.each(start, SLICE, action));
    }
  }

  /** Passes the main keys of all values, a slice at a time, without the lock. */
  void eachMainKey(Consumer<byte[]> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      List<byte[]> keys = new ArrayList<>();
      more =
          place.locked(() -> values.each(start, SLICE, value -> values.listMainKeys(value, keys)));
      keys.forEach(action);
    }
  }

  /**
   * Lists keys from a slot on; returns the next slot, or -1 at the end. The keys are tested without
   * the lock, and not for longer than other clients of the same event loop should wait.
   */
  long scan(long from, int steps, Predicate<byte[]> wanted, List<byte[]> keys) {
    int start = (int) Math.min(from, Integer.MAX_VALUE - steps);
    int end = start + steps;
    long begun = System.nanoTime();
    long bytes = 0;
    boolean more = true;
    while (more && start < end && bytes < SCAN_BYTES && System.nanoTime() - begun < SCAN_NANOS) {
      int first = start;
      int count = Math.min(SCAN_SLICE, end - first);
      List<byte[]> found = new ArrayList<>();
      more = place.locked(() -> values.each(first, count, value -> values.list(value, found)));
      for (byte[] key : found) {
        if (wanted.test(key)) {
          keys.add(key);
          bytes += key.length;
        }
      }
      start += count;
    }
    return more ? start : -1;
  }

  boolean sweep(int most) {
    return place.locked(() -> {
      pins.expire(time.wallMillis());
      leases.expire();
      chains.sweep();
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
    CacheEntry entry = value == null ? null : value.whole().entry;
    return entry == null ? null : cache.explain(entry);
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
                counters.storing.copy(),
                counters.handingOut.copy(),
                counters.allocating.copy(),
                PrematureEvictionStats.of(cache.ghosts()),
                states.counts())));
  }

  long nanos() {
    return time.nanos();
  }

  /**
   * Allocates the slot of a small value, or its next blocks, evicting as needed. All or nothing.
   *
   * @param from how many blocks it has
   */
  boolean take(StoredValue value, int from, int count) {
    lock.lock();
    long start = time.nanos();
    try {
      leases.expire();
      RequestFacts asker = chains.storingFor(value);
      long units = value.isSmall() ? value.units : (long) count * ObjectMemory.BLOCK_UNITS;
      Admission answer = reserve(value, units, asker);
      if (answer == Admission.NO_SPACE) {
        chains.completeAll();
        answer = reserve(value, units, asker);
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
      counters.allocating.add(time.nanos() - start);
      lock.unlock();
    }
  }

  /** Reserves units for a value. The policy may decide against a new entry. */
  private Admission reserve(StoredValue value, long units, RequestFacts asker) {
    ObjectKey key = value.key;
    if (cache.find(key.entryLow(), key.entryHigh()) == null) {
      return cache.reserve(units, asker, key.entryLow(), key.entryHigh());
    }
    return cache.reserve(units, asker) ? Admission.ADMITTED : Admission.NO_SPACE;
  }

  /** Counts a value that found no room. */
  void notAdmitted(StoredValue value) {
    place.locked(() -> {
      counters.notAdmitted++;
      counters.notAdmittedUnits += value.units;
    });
  }

  /** Frees the memory of a value that is not visible. */
  void giveBack(StoredValue value, int blocks) {
    lock.lock();
    try {
      long units =
          value.smallUnit != SmallArena.NONE
              ? value.units
              : (long) blocks * ObjectMemory.BLOCK_UNITS;
      value.free(memory, blocks);
      cache.unreserve(units);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Releases a value.
   *
   * @param nanos how long it was read; negative if that does not count
   */
  void readerClosed(StoredValue value, long nanos) {
    lock.lock();
    try {
      if (nanos >= 0) {
        counters.handingOut.add(nanos);
      }
      values.closed(value);
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    place.locked(() -> {
      cache.close();
      memory.close();
    });
  }

  /**
   * Counts a miss.
   *
   * @param reported whether access listeners receive it as that of an object, of no request
   */
  private void missed(ObjectKey key, LabelTable labels, boolean reported) {
    counters.misses++;
    if (values.main(key) == null) {
      KeyLabels of = labels.of(key.bytes());
      of.missed();
      if (stands(key, labels)) {
        if (reported) {
          listeners.missed(key.entryLow(), of.facts());
        }
        cache.missed(key.entryLow());
      }
    }
  }

  ValueReader reader(StoredValue value) {
    return reader(value, true);
  }

  private ValueReader reader(StoredValue value, boolean timed) {
    values.opened(value);
    return new ValueReader(this, value, timed);
  }
}

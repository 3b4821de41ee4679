package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.chain.ChainedValue;
import dev.ebb.host.store.chain.Chains;
import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.lease.LookupLeases;
import dev.ebb.host.store.lease.OperatorPins;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.EntryStates;
import dev.ebb.host.store.stats.StoreCounters;
import dev.ebb.host.store.value.HeapCharge;
import dev.ebb.host.store.value.Lifetimes;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.RemovalCause;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's visible values, by key and by slot, until they expire or are removed. It follows
 * the cache, so that memory is freed with the entry. Guarded by the partition's lock.
 */
final class ValueTable extends VisibleValues implements RemovalListener {

  private static final int MOST_REFUSED = 1 << 10;

  private final ObjectMemory memory;
  private final OperatorPins pins;
  private final LookupLeases leases;
  private final EntryStates states;
  private final StoreCounters counters;
  private final AccessListeners listeners;
  private final Chains chains;
  final Attachments attachments;

  /** Chunks whose bytes found no room lately: their attachments would promise what is not there. */
  private final Set<Long> refused = new LinkedHashSet<>();

  private int shards;

  /** Values that have an entry only for their shards. */
  private int withdrawn;

  private ChangeListener changes = ChangeListener.NONE;
  private @Nullable BiConsumer<StoredValue, EvictedValue> evicted;

  ValueTable(StorePartition of, Lifetimes lifetimes, HeapCharge charge, TimeSource time) {
    super(of.place, of.cache, lifetimes);
    memory = of.memory;
    pins = of.pins;
    leases = of.leases;
    states = of.states;
    counters = of.counters;
    listeners = of.listeners;
    attachments = new Attachments(this, memory, states, charge);
    chains = new Chains(of.place, cache, listeners, this, time);
  }

  Chains chains() {
    return chains;
  }

  void onEviction(BiConsumer<StoredValue, EvictedValue> action) {
    evicted = action;
  }

  void changeListener(ChangeListener listener) {
    changes = listener;
  }

  void changed(StoredValue value) {
    if (changes != ChangeListener.NONE) {
      changes.changed(ChunkKeys.mainKey(value.key.bytes()));
    }
  }

  /** Reports that copies of a value outside the store are not valid any more. */
  void outdated(ObjectKey key) {
    if (changes != ChangeListener.NONE) {
      changes.outdated(ChunkKeys.mainKey(key.bytes()));
    }
  }

  int keys() {
    return cache.residentEntries() + shards + attachments.count() - withdrawn;
  }

  /**
   * Makes a value visible, whose units are reserved. A request that makes it publishes it later.
   */
  void insert(StoredValue value, @Nullable ObservedRequest by, @Nullable StoredValue first) {
    refused.remove(value.key.low());
    value.key.labels().stored(value.chargedBytes());
    enter(value, by, first);
  }

  void refused(ObjectKey key) {
    if (!key.isMain()) {
      return;
    }
    if (refused.size() == MOST_REFUSED) {
      refused.remove(refused.iterator().next());
    }
    refused.add(key.low());
  }

  boolean describesRefused(ObjectKey key) {
    return key.isAttachment() && refused.contains(key.entryLow());
  }

  private void enter(StoredValue value, @Nullable ObservedRequest by, @Nullable StoredValue first) {
    StoredValue chunk = chunk(value.key, first);
    if (chunk == null) {
      create(value, by, first);
    } else {
      join(chunk, value);
    }
    lifetimes.added(value);
    if (value.readers() > 0) {
      cache.pin(requireNonNull(value.whole().entry()));
    }
    changed(value);
  }

  private void create(
      StoredValue value, @Nullable ObservedRequest by, @Nullable StoredValue first) {
    ObjectKey key = value.key;
    StoredValue collides = now(key, first);
    if (collides != null) {
      removeWhole(collides, RemovalCause.REPLACED);
    }
    int units = (int) value.units();
    CacheEntry entry =
        by == null
            ? cache.insert(key.low(), key.high(), units, value.key.labels().facts())
            : cache.insertUnpublished(key.low(), key.high(), units, ObservedRequest.facts(key, by));
    value.becomeEntry(entry);
    put(value, entry.slot());
    weighPart(value, value, units);
    chains.inserted(value, by);
  }

  /** Tells the cache of which object group of a hybrid model a value is. */
  private void weighPart(StoredValue chunk, StoredValue value, long more) {
    KeyLabels labels = value.key.labels();
    if (!regroup(chunk) && labels.isHybrid()) {
      cache.weighPart(requireNonNull(chunk.entry()), labels.group(), more);
    }
  }

  /**
   * Tells the cache the parts of a chunk again if other object groups of its model are known now;
   * returns whether that was necessary.
   */
  private boolean regroup(StoredValue chunk) {
    KeyLabels labels = chunk.key.labels();
    ChunkParts parts = requireNonNull(chunk.entry()).parts();
    ObjectGroups groups = labels.isHybrid() ? labels.groups() : null;
    if (parts == null ? groups == null : parts.groups() == groups) {
      return false;
    }
    cache.regroup(requireNonNull(chunk.entry()), groups);
    if (groups != null) {
      if (!chunk.isWithdrawn()) {
        cache.weighPart(requireNonNull(chunk.entry()), labels.group(), chunk.units());
      }
      for (StoredValue shard : chunk.shards()) {
        int group = shard.key.labels().group();
        cache.weighPart(requireNonNull(chunk.entry()), group, shard.units());
      }
    }
    return true;
  }

  @Override
  public void regroup(ChainedValue chunk) {
    regroup(((StoredValue) chunk).whole());
  }

  private void join(StoredValue chunk, StoredValue shard) {
    chunk.join(shard);
    shards++;
    reweigh(chunk, shard.units());
    weighPart(chunk, shard, shard.units());
    chains.joins(chunk, shard.key);
  }

  /** Takes a shard from its chunk; its units are reserved then. */
  private void leave(StoredValue shard) {
    StoredValue chunk = requireNonNull(shard.owner());
    if (shard.readers() > 0) {
      cache.unpin(requireNonNull(chunk.entry()));
    }
    chunk.leave(shard);
    shards--;
    lifetimes.removed(shard);
    weighPart(chunk, shard, -shard.units());
    reweigh(chunk, -shard.units());
  }

  private void reweigh(StoredValue chunk, long more) {
    cache.reweigh(requireNonNull(chunk.entry()), more);
    leases.reweighed(chunk, more);
    pins.reweighed(chunk, more);
    chains.reweighed(chunk, more);
    // Of a hybrid model, listeners receive whole requests: they decide on parts themselves.
    if (chunk.isPublished() && !chunk.key.labels().isHybrid()) {
      listeners.reweighed(chunk.key.low(), chunk.weight());
    }
  }

  void expireAt(StoredValue value, long at) {
    lifetimes.set(value, at);
    changed(value);
    outdated(value.key);
    alive(value);
  }

  /** Removes a value for a client. An attachment is a value of its own to clients. */
  void delete(StoredValue value, RemovalCause cause) {
    StoredValue attachment = value.attachment();
    if (attachment != null) {
      remove(attachment, cause);
    }
    remove(value, cause);
    if (attachment != null) {
      attachments.makeIndependent(attachment);
    }
  }

  /**
   * Removes a value with its attachment, but not the other shards of its chunk; its memory is freed
   * with the last reader.
   */
  void remove(StoredValue value, RemovalCause cause) {
    StoredValue owner = value.owner();
    if (owner != null && value.isShard() && owner.isWithdrawn() && owner.shards().size() == 1) {
      removeWhole(owner, cause);
    } else if (value.isShard()) {
      leave(value);
      chains.left(requireNonNull(owner), value.key, cause);
      gone(value, cause, null);
      if (value.readers() == 0) {
        cache.unreserve(value.units());
      }
    } else if (owner != null) {
      attachments.detach(owner);
      changed(owner);
      if (outdates(cause)) {
        outdated(value.key);
      }
    } else {
      List<StoredValue> others = List.copyOf(value.shards());
      List<ObjectKey> before = others.isEmpty() ? List.of() : value.before();
      others.forEach(this::leave);
      removeWhole(value, cause);
      // The first of them has the entry from now on.
      StoredValue first = null;
      for (StoredValue shard : others) {
        enter(shard, null, first);
        first = shard.whole();
        if (!shard.key.labels().isHybrid()) {
          listeners.stored(shard.key.low(), shard.whole().weight(), shard.key.labels().facts());
        }
      }
      if (first != null) {
        first.follows(before);
      }
    }
  }

  @Override
  void expire(StoredValue value) {
    counters.expired++;
    if (lifetimes.ttlExpired(value)) {
      delete(value, RemovalCause.EXPIRED);
    } else {
      removeWhole(value, RemovalCause.EXPIRED);
    }
  }

  /** Removes a value that has an entry, with its shards and all attachments. */
  void removeWhole(StoredValue value, RemovalCause cause) {
    pins.unpin(value, null);
    leases.removed(value);
    chains.removing(value);
    CacheEntry entry = requireNonNull(value.entry());
    long read = stopReading(value, entry);
    for (StoredValue shard : value.shards()) {
      read += stopReading(shard, entry);
    }
    cache.removeReserving(entry, read, cause);
  }

  /** Reverts the pin of a value's readers; returns the units that they read. */
  private long stopReading(StoredValue value, CacheEntry entry) {
    if (value.readers() == 0) {
      return 0;
    }
    cache.unpin(entry);
    return value.units();
  }

  void opened(StoredValue value) {
    counters.reading++;
    if (value.opened() && value.units() > 0) {
      cache.pin(requireNonNull(value.whole().entry()));
      value.enter(EntryState.REUSED, states);
    }
  }

  /** Ends a value that was never visible; its memory is freed when its reader is closed. */
  void openedUnstored(StoredValue value) {
    counters.reading++;
    value.opened();
    value.enter(EntryState.REMOVED, states);
  }

  void closed(StoredValue value, boolean leaving) {
    counters.reading--;
    if (!value.closed() || value.units() == 0) {
      return;
    }
    CacheEntry entry = value.whole().entry();
    if (entry != null) {
      value.enter(EntryState.ACTIVE, states);
      cache.unpin(entry);
    } else {
      value.free(memory);
      if (leaving) {
        cache.unreserveLeaving(value.units());
      } else {
        cache.unreserve(value.units());
      }
    }
  }

  @Override
  public void removed(CacheEntry entry, RemovalCause cause) {
    StoredValue value = take(entry.slot());
    ObjectKey before = value.parentKey();
    chains.removed(value, cause);
    value.loseEntry();
    if (!value.isWithdrawn()) {
      lifetimes.removed(value);
    }
    if (cause == RemovalCause.NOT_ADMITTED) {
      counters.notAdmitted++;
      counters.notAdmittedUnits += entry.blocks();
    } else if (cause.forCapacity()) {
      counters.evicted++;
      counters.evictedUnits += entry.blocks();
    } else if (cause != RemovalCause.REPLACED || value.key.isAttachment()) {
      // What is in its place now is reported as stored, or with its request.
      listeners.removed(value.key.low(), cause);
    }
    gone(value, cause, leaving(value, entry, before, cause));
    for (StoredValue shard : value.disband()) {
      shards--;
      lifetimes.removed(shard);
      gone(shard, cause, leaving(shard, entry, before, cause));
    }
  }

  private @Nullable EvictedValue leaving(
      StoredValue value, CacheEntry entry, @Nullable ObjectKey before, RemovalCause cause) {
    return evicted == null || cause != RemovalCause.EVICTED
        ? null
        : EvictedValue.of(value, entry, parent(value.key, before));
  }

  /** Returns what would be passed on if a visible value were evicted now. */
  EvictedValue evictedValue(StoredValue value) {
    StoredValue chunk = value.whole();
    byte[] parent = parent(value.key, chunk.parentKey());
    return EvictedValue.of(value, requireNonNull(chunk.entry()), parent);
  }

  /** Returns the key of the same worker's object of the chunk before, if that is resident. */
  private byte @Nullable [] parent(ObjectKey key, @Nullable ObjectKey before) {
    if (before == null) {
      return null;
    }
    StoredValue chunk = key.isSharded() ? first(before) : null;
    StoredValue same =
        chunk == null ? null : chunk.whole().shard(each -> each.key.labels().isLike(key.labels()));
    return (same == null ? before : same.key).bytes();
  }

  /**
   * Returns whether a value of a chunk of a hybrid model takes the place of another one while the
   * entry stays: an engine stores a chunk again whose other objects were evicted.
   */
  boolean replaces(StoredValue old, StoredValue value, @Nullable StoredValue first) {
    return value.key.labels().isHybrid()
        && old.readers() == 0
        && chunk(value.key, first) == old.whole();
  }

  void replace(StoredValue old, StoredValue value, @Nullable StoredValue first) {
    StoredValue chunk = old.whole();
    insert(value, null, first);
    if (old == chunk) {
      weighPart(chunk, old, -old.units());
      reweigh(chunk, -old.units());
      cache.unreserve(old.units());
      withdraw(old, RemovalCause.REPLACED);
    } else {
      remove(old, RemovalCause.REPLACED);
    }
  }

  /** Takes the bytes of a value that nobody reads from its chunk, whose entry stays. */
  private void withdraw(StoredValue value, RemovalCause cause) {
    StoredValue chunk = value.whole();
    changed(value);
    lifetimes.removed(value);
    end(value, cause);
    if (value == chunk) {
      withdrawn++;
      value.withdraw();
    } else {
      shards--;
      chunk.leave(value);
    }
  }

  @Override
  public boolean thins(CacheEntry entry, int group) {
    StoredValue chunk = requireNonNull(inSlot(entry.slot()));
    List<StoredValue> part =
        chunk.objects().stream().filter(value -> value.key.labels().group() == group).toList();
    if (chunk.lookups() > 0
        || !chunk.pins().isEmpty()
        || !chunk.isPublished()
        || part.stream().anyMatch(value -> value.readers() > 0 || value.attachment() != null)) {
      return false;
    }
    for (StoredValue value : part) {
      counters.evicted++;
      counters.evictedUnits += value.units();
      withdraw(value, RemovalCause.EVICTED);
      chains.left(chunk, value.key, RemovalCause.EVICTED);
    }
    return true;
  }

  /** Ends a value that is no longer visible, and passes it on if the policy has evicted it. */
  private void gone(StoredValue value, RemovalCause cause, @Nullable EvictedValue leaving) {
    if (value.isWithdrawn()) {
      withdrawn--;
      return;
    }
    changed(value);
    if (outdates(cause)) {
      outdated(value.key);
    } else if (evicted != null && leaving != null && value.readers() == 0) {
      evicted.accept(value, leaving);
    }
    attachments.detach(value);
    end(value, cause);
  }

  /** A client that replaces a value reports that itself: there may be none here. */
  private static boolean outdates(RemovalCause cause) {
    return cause == RemovalCause.DELETED || cause == RemovalCause.EXPIRED;
  }

  /** Counts the end of a value, and frees its memory unless it is being read. */
  private void end(StoredValue value, RemovalCause cause) {
    value.key.labels().removed(value.chargedBytes(), cause);
    if (cause.forCapacity()) {
      value.enter(EntryState.EVICTING, states);
    }
    if (value.readers() == 0) {
      value.free(memory);
    }
    value.enter(end(cause), states);
  }

  private static EntryState end(RemovalCause cause) {
    if (cause.forCapacity()) {
      return EntryState.EVICTED;
    }
    return cause == RemovalCause.EXPIRED ? EntryState.EXPIRED : EntryState.REMOVED;
  }
}

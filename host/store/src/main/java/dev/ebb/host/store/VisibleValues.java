package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.store.chain.ChunksByUse;
import dev.ebb.host.store.chain.ValueIndex;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.value.Lifetimes;
import dev.ebb.host.store.value.StoredValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The visible values of a partition, by key and by slot. Guarded by its lock, except that scans
 * hold the lock for a slice at a time only.
 */
abstract class VisibleValues implements ValueIndex {

  private static final int MOST_NAME_BYTES = 1 << 10;

  private static final int SLICE = 1 << 10;

  /** How many slots a scan reads at a time. */
  private static final int SCAN_SLICE = 16;

  /** A page of a scan ends behind so many bytes of keys, or after this time. */
  private static final long SCAN_BYTES = 1 << 20;

  private static final long SCAN_NANOS = 10_000_000;

  private final PolicyPlace place;
  final BlockCache cache;
  final Lifetimes lifetimes;
  private @Nullable StoredValue[] values = new StoredValue[64];
  private int slots;

  VisibleValues(PolicyPlace place, BlockCache cache, Lifetimes lifetimes) {
    this.place = place;
    this.cache = cache;
    this.lifetimes = lifetimes;
  }

  void put(StoredValue value, int slot) {
    if (slot >= values.length) {
      values = Arrays.copyOf(values, Math.max(slot + 1, values.length * 2));
    }
    values[slot] = value;
    slots = Math.max(slots, slot + 1);
  }

  /** Returns the value of an entry that is being removed, which is not visible any more. */
  StoredValue take(int slot) {
    StoredValue value = requireNonNull(values[slot]);
    values[slot] = null;
    return value;
  }

  abstract void expire(StoredValue value);

  /** Returns the value under a key, unless it has expired. */
  @Nullable StoredValue find(ObjectKey key) {
    return find(key, main(key));
  }

  /** Does the same for a key whose {@link #main} value is known. */
  @Nullable StoredValue find(ObjectKey key, @Nullable StoredValue main) {
    return find(key, main, main == null || main.attachment() == null ? first(key) : null);
  }

  /** Does the same for a key whose {@link #main} and {@link #first} values are known. */
  @Nullable StoredValue find(
      ObjectKey key, @Nullable StoredValue main, @Nullable StoredValue first) {
    StoredValue attached = main == null ? null : alive(main.attachment());
    return attached != null || first == null
        ? attached
        : alive(first.shard(each -> each.key.is(key)));
  }

  /** Returns the value that has the entry of a key's hash, expired or not. */
  @Nullable StoredValue first(ObjectKey key) {
    return at(key.low(), key.high());
  }

  /**
   * Returns the value whose chunk a key's value is a shard of; null if it would be the first. The
   * first value is as it was before any removal.
   */
  @Nullable StoredValue chunk(ObjectKey key, @Nullable StoredValue first) {
    StoredValue now = now(key, first);
    if (now == null || !key.isSharded() || !now.key.isSharded()) {
      return null;
    }
    return alive(now) == null ? now(key, now) : now;
  }

  /** Returns the value that has the entry now: another shard's, if the first one was removed. */
  @Nullable StoredValue now(ObjectKey key, @Nullable StoredValue first) {
    if (first == null || first.visible()) {
      return first;
    }
    return key.isSharded() ? first(key) : null;
  }

  /** Returns the main value of an attachment's key, existing or not. */
  @Nullable StoredValue main(ObjectKey key) {
    if (!key.isAttachment()) {
      return null;
    }
    StoredValue main = at(key.entryLow(), key.entryHigh());
    return main == null ? null : alive(main.shard(each -> key.belongsTo(each.key)));
  }

  /** Runs an action with the values in some slots; returns whether there are more slots. */
  boolean each(int from, int count, Consumer<StoredValue> action) {
    int end = Math.min(slots, from + count);
    for (int slot = from; slot < end; slot++) {
      StoredValue value = values[slot];
      if (value != null) {
        action.accept(value);
      }
    }
    return end < slots;
  }

  /** Checks some of the values that may have expired; returns whether there may be more. */
  boolean sweep(int most) {
    for (int i = 0; i < most; i++) {
      StoredValue value = lifetimes.due();
      if (value == null) {
        return false;
      }
      if (alive(value) != null) {
        lifetimes.scheduleCheck(value);
      }
    }
    return true;
  }

  boolean expired(StoredValue value) {
    return lifetimes.expired(value);
  }

  boolean ended(StoredValue value) {
    return lifetimes.ttlExpired(value);
  }

  /** Returns whether all chunks before an entry are resident, as far as they are known. */
  boolean isReachable(CacheEntry entry) {
    StoredValue value = values[entry.slot()];
    return value != null && value.isReachable();
  }

  /** Returns the client's name of an entry, shortened for the eviction log. */
  byte @Nullable [] name(CacheEntry entry) {
    StoredValue value = values[entry.slot()];
    if (value == null) {
      return null;
    }
    byte[] key = value.key.bytes();
    return key.length <= MOST_NAME_BYTES ? key : Arrays.copyOf(key, MOST_NAME_BYTES);
  }

  @Override
  public int slots() {
    return slots;
  }

  @Override
  public @Nullable StoredValue inSlot(int slot) {
    return values[slot];
  }

  @Override
  public @Nullable StoredValue at(long low) {
    CacheEntry entry = cache.find(low);
    return entry == null ? null : values[entry.slot()];
  }

  @Nullable StoredValue at(long low, long high) {
    CacheEntry entry = cache.find(low, high);
    return entry == null ? null : values[entry.slot()];
  }

  /** Returns a value unless it has expired; then it is removed. */
  @Nullable StoredValue alive(@Nullable StoredValue value) {
    if (value == null
        || (value.owner() != null && alive(value.owner()) == null && !value.visible())) {
      return null;
    }
    if (!lifetimes.expired(value)) {
      return value;
    }
    expire(value);
    return null;
  }

  /** Runs an action with every value that exists when it starts, a slice at a time. */
  void each(Consumer<StoredValue> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      more = place.locked(() -> each(start, SLICE, action));
    }
  }

  /** Passes the main keys of all values, a slice at a time, without the lock. */
  void eachMainKey(Consumer<byte[]> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      List<byte[]> keys = new ArrayList<>();
      more = place.locked(() -> each(start, SLICE, value -> listMainKeys(value, keys)));
      keys.forEach(action);
    }
  }

  List<byte[]> mainKeysByUse() {
    ChunksByUse chunks = new ChunksByUse();
    each(value -> {
      if (!expired(value)) {
        chunks.add(value);
      }
    });
    return chunks.keys();
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
      more = place.locked(() -> each(first, count, value -> list(value, found)));
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

  private void list(StoredValue value, List<byte[]> keys) {
    boolean expired = expired(value);
    if (!expired && !value.isWithdrawn()) {
      keys.add(value.key.bytes());
    }
    if (!expired && value.attachment() != null) {
      list(value.attachment(), keys);
    }
    for (StoredValue shard : value.shards()) {
      list(shard, keys);
    }
  }

  private void listMainKeys(StoredValue value, List<byte[]> keys) {
    if (!expired(value) && !value.isWithdrawn()) {
      keys.add(ChunkKeys.mainKey(value.key.bytes()));
    }
    for (StoredValue shard : value.shards()) {
      listMainKeys(shard, keys);
    }
  }
}

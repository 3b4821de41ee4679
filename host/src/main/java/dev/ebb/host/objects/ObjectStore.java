package dev.ebb.host.objects;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
import dev.ebb.host.cache.EventBatch;
import dev.ebb.host.cache.EventConsumer;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients' values by key, in as much memory as the pool has. When it is full the eviction policy
 * says which key leaves; what is being read stays.
 *
 * <p>Safe for use by many threads: one lock guards the accounts, and bytes are copied without it.
 * The cache counts in units of 1 KiB: what a value weighs is what it takes.
 */
public final class ObjectStore implements AutoCloseable {

  /** What {@link #expiresAt} says of a key that lives until it is evicted. */
  public static final long NEVER = StoredValue.NEVER;

  private static final int GHOSTS = 1 << 16;

  private final Object lock = new Object();
  private final ObjectMemory memory;
  private final BlockCache cache;
  private final KeyHash hash;
  private final TimeSource time;
  private final long idleNanos;
  private final Expirations expirations = new Expirations();

  /** By the entry's slot. */
  private @Nullable StoredValue[] values = new StoredValue[64];

  private int slots;
  private int expiring;
  private long hits;
  private long misses;
  private long stored;
  private long expired;
  private long notAdmitted;

  /**
   * An empty store, ordered by the host's own least-recently-used order until {@link #install}.
   *
   * @param device whose memory holds the values; the JVM must reach it
   * @param bytes how much of it, at least 64 KiB
   * @param idle how long a value lives without being used; zero for ever
   * @param seed keys the hash; not to be guessed by clients
   * @param time the clocks
   * @throws DeviceException if the memory does not fit
   */
  public ObjectStore(Device device, long bytes, Duration idle, long seed, TimeSource time) {
    this.time = requireNonNull(time, "time is null");
    idleNanos = idle.toNanos();
    hash = new KeyHash(seed, Long.rotateLeft(seed * 0x9E3779B97F4A7C15L, 29));
    memory = new ObjectMemory(device, bytes);
    cache =
        new BlockCache(
            memory.units(), time::nanos, new GhostWindow(GHOSTS), BlockCache.OnFault.FALL_BACK);
    cache.watch(
        new EventConsumer() {
          @Override
          public void accept(EventBatch batch) {
            follow(batch);
          }

          @Override
          public boolean hearsRequests() {
            return false;
          }
        });
  }

  /**
   * What the policy's capacity is counted in.
   *
   * @return units of 1 KiB
   */
  public long capacityBlocks() {
    return memory.units();
  }

  /**
   * Puts a policy in force.
   *
   * @param name its name, for messages
   * @param policy holds nothing; closed with the store
   */
  public void install(String name, BlockPolicy<?> policy) {
    synchronized (lock) {
      cache.install(name, policy);
    }
  }

  /**
   * Opens a value for reading, which counts as a use.
   *
   * @param key its key
   * @return the value, or null if there is none
   */
  public @Nullable ValueReader get(byte[] key) {
    ObjectKey hashed = hash.of(key);
    synchronized (lock) {
      return open(hashed);
    }
  }

  /**
   * Opens several values as of one moment.
   *
   * @param keys their keys
   * @return for each key its value, or null if there is none
   */
  public List<@Nullable ValueReader> getAll(List<byte[]> keys) {
    List<@Nullable ValueReader> readers = new ArrayList<>(keys.size());
    synchronized (lock) {
      for (byte[] key : keys) {
        readers.add(open(hash.of(key)));
      }
    }
    return readers;
  }

  /**
   * Begins a value. Nothing is visible, and nothing of another value under the key changes, before
   * it is committed.
   *
   * @param key its key; kept, not to be changed
   * @param length its size in bytes
   * @return a writer, to be committed or closed
   */
  public ValueWriter write(byte[] key, long length) {
    long units = ObjectMemory.unitsFor(length + key.length);
    return new ValueWriter(this, hash.of(key), length, units, units <= memory.units());
  }

  /**
   * Makes a value visible, all at once, in place of the one before.
   *
   * @param writer has received all its bytes
   * @param options when, and for how long
   * @return what came of it
   */
  public SetResult commit(ValueWriter writer, SetOptions options) {
    synchronized (lock) {
      StoredValue old = live(writer.key);
      ValueReader reader = options.wantsOld() && old != null ? reader(old) : null;
      boolean met =
          switch (options.condition()) {
            case ALWAYS -> true;
            case IF_ABSENT -> old == null;
            case IF_PRESENT -> old != null;
          };
      if (!met) {
        writer.close();
        return new SetResult(SetResult.Outcome.UNMET, reader);
      }
      long expiresAt =
          switch (options.expiry()) {
            case NONE -> NEVER;
            case KEEP -> old == null ? NEVER : old.expiresAt;
            case AT -> options.expiresAt();
          };
      StoredBytes bytes = writer.finish();
      // Making room for the last block may have evicted it.
      if (old != null && old.entry != null) {
        remove(old, RemovalCause.REPLACED);
      }
      if (bytes == null) {
        writer.committed();
        notAdmitted++;
        return new SetResult(SetResult.Outcome.NOT_KEPT, reader);
      }
      writer.committed();
      insert(writer, bytes, expiresAt);
      return new SetResult(SetResult.Outcome.STORED, reader);
    }
  }

  /**
   * Removes a value. Who reads it reads it to its end.
   *
   * @param key its key
   * @return whether there was one
   */
  public boolean delete(byte[] key) {
    ObjectKey hashed = hash.of(key);
    synchronized (lock) {
      StoredValue value = live(hashed);
      if (value == null) {
        return false;
      }
      remove(value, RemovalCause.DELETED);
      return true;
    }
  }

  /**
   * The size of a value, which does not count as a use.
   *
   * @param key its key
   * @return bytes, or -1 if there is none
   */
  public long length(byte[] key) {
    ObjectKey hashed = hash.of(key);
    synchronized (lock) {
      StoredValue value = live(hashed);
      return value == null ? -1 : value.length;
    }
  }

  /**
   * When a key's life ends.
   *
   * @param key the key
   * @return wall-clock milliseconds, {@link #NEVER}, or -1 if there is no such key
   */
  public long expiresAt(byte[] key) {
    ObjectKey hashed = hash.of(key);
    synchronized (lock) {
      StoredValue value = live(hashed);
      return value == null ? -1 : value.expiresAt;
    }
  }

  /**
   * Gives a key a time to live.
   *
   * @param key the key
   * @param at wall-clock milliseconds; past ones delete the key
   * @param condition what must hold of its end so far, {@link #NEVER} included
   * @return whether there was such a key and the condition held
   */
  public boolean expire(byte[] key, long at, LongPredicate condition) {
    ObjectKey hashed = hash.of(key);
    synchronized (lock) {
      StoredValue value = live(hashed);
      if (value == null || !condition.test(value.expiresAt)) {
        return false;
      }
      setExpiry(value, at);
      live(hashed);
      return true;
    }
  }

  /** Removes all values. */
  public void clear() {
    synchronized (lock) {
      for (int slot = 0; slot < slots; slot++) {
        StoredValue value = values[slot];
        if (value != null) {
          remove(value, RemovalCause.DELETED);
        }
      }
    }
  }

  /**
   * Lists keys, some at a time. A key that is there all the while is listed.
   *
   * @param cursor 0 to begin, then what the last page said
   * @param steps how many places to look at, at least 1
   * @param wanted which keys to list
   * @return the keys found
   */
  public ScanPage scan(long cursor, int steps, Predicate<byte[]> wanted) {
    List<byte[]> keys = new ArrayList<>();
    synchronized (lock) {
      long now = time.wallMillis();
      long end = cursor < 0 || cursor >= slots ? 0 : Math.min(slots, cursor + steps);
      for (int slot = (int) Math.max(0, Math.min(cursor, end)); slot < end; slot++) {
        StoredValue value = values[slot];
        if (value != null && !over(value, now) && wanted.test(value.key.bytes())) {
          keys.add(value.key.bytes());
        }
      }
      return new ScanPage(end >= slots ? 0 : end, keys);
    }
  }

  /**
   * Removes values whose time has come. To be called now and then: what is asked for is looked at
   * anyway.
   *
   * @param most how many values to look at
   * @return whether there may be more
   */
  public boolean sweep(int most) {
    synchronized (lock) {
      long now = time.wallMillis();
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
  }

  /**
   * The store in numbers.
   *
   * @return as of now
   */
  public StoreStats stats() {
    synchronized (lock) {
      return new StoreStats(
          cache.residentEntries(),
          expiring,
          cache.occupiedBlocks() * ObjectMemory.UNIT_BYTES,
          cache.capacityBlocks() * ObjectMemory.UNIT_BYTES,
          cache.policyName(),
          hits,
          misses,
          stored,
          cache.evictions(),
          expired,
          notAdmitted);
    }
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    synchronized (lock) {
      cache.close();
      memory.close();
    }
  }

  ObjectMemory memory() {
    return memory;
  }

  /** Takes blocks for a writer, evicting as needed. All or nothing. */
  boolean takeBlocks(int[] into, int from, int count) {
    long units = (long) count * ObjectMemory.BLOCK_UNITS;
    synchronized (lock) {
      if (!cache.reserve(units, RequestFacts.UNKNOWN)) {
        return false;
      }
      // Enough units are free, yet they may lie in blocks that small values share.
      while (!memory.allocateBlocks(into, from, count)) {
        if (cache.evict(units, Demand.Reason.ALLOCATION, RequestFacts.UNKNOWN) == 0) {
          cache.unreserve(units);
          return false;
        }
      }
      return true;
    }
  }

  /** Takes a slot for a small value, or {@link SmallArena#NONE}. */
  long takeSmall(int units) {
    synchronized (lock) {
      if (!cache.reserve(units, RequestFacts.UNKNOWN)) {
        return SmallArena.NONE;
      }
      while (true) {
        long unit = memory.allocateSmall(units);
        if (unit != SmallArena.NONE) {
          return unit;
        }
        if (cache.evict(ObjectMemory.BLOCK_UNITS, Demand.Reason.ALLOCATION, RequestFacts.UNKNOWN)
            == 0) {
          cache.unreserve(units);
          return SmallArena.NONE;
        }
      }
    }
  }

  void abandoned(StoredBytes bytes, long units) {
    synchronized (lock) {
      bytes.free(memory);
      cache.unreserve(units);
    }
  }

  void readerClosed(StoredValue value) {
    synchronized (lock) {
      if (--value.readers > 0) {
        return;
      }
      if (value.entry != null) {
        cache.unpin(value.entry);
      } else {
        value.bytes.free(memory);
        cache.unreserve(value.units);
      }
    }
  }

  private @Nullable ValueReader open(ObjectKey key) {
    StoredValue value = live(key);
    if (value == null || value.entry == null) {
      misses++;
      cache.missed(key.low());
      return null;
    }
    hits++;
    cache.access(value.entry, RequestFacts.UNKNOWN);
    return reader(value);
  }

  private ValueReader reader(StoredValue value) {
    if (value.readers++ == 0) {
      cache.pin(requireNonNull(value.entry));
    }
    return new ValueReader(this, value);
  }

  private @Nullable StoredValue live(ObjectKey key) {
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

  private void insert(ValueWriter writer, StoredBytes bytes, long expiresAt) {
    CacheEntry same = cache.find(writer.key.low(), writer.key.high());
    StoredValue collides = same == null ? null : values[same.slot()];
    if (collides != null) {
      remove(collides, RemovalCause.REPLACED);
    }
    StoredValue value = new StoredValue(writer.key, writer.length, (int) writer.units, bytes);
    CacheEntry entry =
        cache.insert(writer.key.low(), writer.key.high(), value.units, RequestFacts.UNKNOWN);
    value.entry = entry;
    if (entry.slot() >= values.length) {
      values = Arrays.copyOf(values, Math.max(entry.slot() + 1, values.length * 2));
    }
    values[entry.slot()] = value;
    slots = Math.max(slots, entry.slot() + 1);
    stored++;
    setExpiry(value, expiresAt);
    if (over(value, time.wallMillis())) {
      expire(value);
    } else if (idleNanos > 0) {
      expirations.note(value, dueAt(value, time.wallMillis()), cache.residentEntries());
    }
  }

  private void setExpiry(StoredValue value, long at) {
    expiring += (at == NEVER ? 0 : 1) - (value.expiresAt == NEVER ? 0 : 1);
    value.expiresAt = at;
    if (at != NEVER) {
      expirations.note(value, at, cache.residentEntries());
    }
  }

  private void expire(StoredValue value) {
    expired++;
    remove(value, RemovalCause.EXPIRED);
  }

  /** Takes a value out of the cache; its memory goes with the last reader. */
  private void remove(StoredValue value, RemovalCause cause) {
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

  private void follow(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) != EventBatch.Kind.REMOVED) {
        continue;
      }
      int slot = batch.slot(i);
      StoredValue value = requireNonNull(values[slot]);
      values[slot] = null;
      value.entry = null;
      expiring -= value.expiresAt == NEVER ? 0 : 1;
      if (value.readers == 0) {
        value.bytes.free(memory);
      }
    }
  }

  private boolean over(StoredValue value, long now) {
    return now >= value.expiresAt || (idleNanos > 0 && idleLeft(value) <= 0);
  }

  private long idleLeft(StoredValue value) {
    return idleNanos - (time.nanos() - requireNonNull(value.entry).lastAccessNanos());
  }

  private long dueAt(StoredValue value, long now) {
    long idleEnd = idleNanos > 0 ? now + Math.ceilDiv(idleLeft(value), 1_000_000L) : NEVER;
    return Math.min(value.expiresAt, idleEnd);
  }
}

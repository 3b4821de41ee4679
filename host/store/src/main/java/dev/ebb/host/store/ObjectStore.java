package dev.ebb.host.store;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients' values by key, in the memory of the pool. When it is full, the eviction policy chooses
 * the keys to evict; values in use and pinned ones stay.
 *
 * <p>Thread-safe. The pool has one part that all share, and one for each tenant with a quota, each
 * with an instance of the policy of its own.
 */
public final class ObjectStore extends PartitionedStore {

  /** The unit of caches and policies of the store, their blocks, in bytes. */
  public static final int UNIT_BYTES = ObjectMemory.UNIT_BYTES;

  /** The result of {@link #expiresAt} for a key without a time to live. */
  public static final long NEVER = StoredValue.NEVER;

  /**
   * Creates an empty store whose active policy is {@code builtin-lru}.
   *
   * @param device the memory of the values, which the JVM must reach
   * @param options its parts and limits
   * @param time the clocks
   * @throws DeviceException if the memory does not fit
   */
  public ObjectStore(Device device, StoreOptions options, TimeSource time) {
    super(device, options, time);
  }

  /**
   * Creates an empty store with one part.
   *
   * @param device the memory of the values, which the JVM must reach
   * @param bytes its size, at least 64 KiB
   * @param idle how long a value lives without being used; zero for ever
   * @param seed keys the hash; not to be guessed by clients
   * @param time the clocks
   * @throws DeviceException if the memory does not fit
   */
  public ObjectStore(Device device, long bytes, Duration idle, long seed, TimeSource time) {
    this(device, StoreOptions.of(bytes, idle, seed), time);
  }

  /**
   * Opens a value for reading, which counts as a use.
   *
   * @return the value, or null if there is none
   */
  public @Nullable ValueReader get(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).get(hashed, labels);
  }

  /**
   * Opens several values, one after the other.
   *
   * @return for each key its value, or null if there is none
   */
  public List<@Nullable ValueReader> getAll(List<byte[]> keys) {
    List<@Nullable ValueReader> readers = new ArrayList<>(keys.size());
    keys.forEach(key -> readers.add(get(key)));
    return readers;
  }

  /**
   * Starts a value. Nothing is visible, and an existing value under the key does not change, before
   * it is committed.
   *
   * @param key its key; kept, not to be changed
   * @param length its size in bytes
   * @return a writer, to be committed or closed
   */
  public ValueWriter write(byte[] key, long length) {
    ObjectKey hashed = hash.of(key);
    KeyLabels known = labels.of(key);
    return partitions.get(known.partition()).write(hashed, length, known);
  }

  /**
   * Makes a value visible, atomically, in place of the previous one. Pins on that one move to it,
   * as far as their budget allows.
   *
   * @param writer has received all its bytes
   * @param options condition and expiry
   */
  public SetResult commit(ValueWriter writer, SetOptions options) {
    return of(writer.key).commit(writer, options);
  }

  /**
   * Removes a value, pinned or not. Open readers stay valid.
   *
   * @return whether there was one
   */
  public boolean delete(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).delete(hashed);
  }

  /**
   * Returns whether there is a value, which does not count as a use. A missing second value of a
   * chunk counts as a miss, because the engine will not request the first.
   */
  public boolean exists(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).exists(hashed, labels);
  }

  /**
   * Returns the size of a value, which does not count as a use.
   *
   * @return bytes, or -1 if there is none
   */
  public long length(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).with(hashed, value -> value == null ? -1 : value.length);
  }

  /**
   * Returns when a key expires.
   *
   * @return wall-clock milliseconds, {@link #NEVER}, or -1 if there is no such key
   */
  public long expiresAt(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).with(hashed, value -> value == null ? -1 : value.expiresAt);
  }

  /**
   * Gives a key a time to live.
   *
   * @param at wall-clock milliseconds; past ones delete the key
   * @param condition tests its current end, which may be {@link #NEVER}
   * @return whether there was such a key and the condition held
   */
  public boolean expire(byte[] key, long at, LongPredicate condition) {
    ObjectKey hashed = hash.of(key);
    StorePartition partition = of(hashed);
    return partition.with(
        hashed,
        value -> {
          boolean met = value != null && condition.test(value.expiresAt);
          if (met) {
            partition.expireAt(value, at);
          }
          return met;
        });
  }

  /** Removes all values that exist when it starts, some at a time. */
  public void clear() {
    partitions.forEach(StorePartition::clear);
  }

  /**
   * Lists keys, some at a time. A key that exists all the time is listed.
   *
   * @param cursor 0 to start, then that of the last page
   * @param steps how many slots to visit, at least 1
   * @param wanted selects keys
   * @return the keys found
   */
  public ScanPage scan(long cursor, int steps, Predicate<byte[]> wanted) {
    List<byte[]> keys = new ArrayList<>();
    // The parts take turns, so that a cursor contains both the part and the position in it.
    int part = (int) Math.floorMod(cursor, (long) partitions.size());
    long from = Math.max(0, cursor / partitions.size());
    long next = partitions.get(part).scan(from, steps, wanted, keys);
    if (next >= 0) {
      return new ScanPage(next * partitions.size() + part, keys);
    }
    return new ScanPage(part + 1 < partitions.size() ? part + 1 : 0, keys);
  }

  /**
   * Removes expired values and pins. To be called from time to time; a requested value is checked
   * anyway.
   *
   * @param most how many values to check in each part
   * @return whether there may be more
   */
  public boolean sweep(int most) {
    boolean more = false;
    for (StorePartition partition : partitions) {
      more |= partition.sweep(most);
    }
    return more;
  }
}

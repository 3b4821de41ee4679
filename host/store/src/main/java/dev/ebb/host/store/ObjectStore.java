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
 * Clients' values by key, in as much memory as the pool has. When it is full the eviction policy
 * says which key leaves; what is being read stays, and so does what operators have pinned.
 *
 * <p>Safe for use by many threads. The pool has one part that everybody shares, and one for each
 * tenant with a quota, each with an instance of the policy of its own.
 */
public final class ObjectStore extends PartitionedStore {

  /** What caches and policies of the store count in, their blocks: bytes. */
  public static final int UNIT_BYTES = ObjectMemory.UNIT_BYTES;

  /** What {@link #expiresAt} says of a key that lives until it is evicted. */
  public static final long NEVER = StoredValue.NEVER;

  /**
   * An empty store, ordered by the host's own least-recently-used order until {@link #install}.
   *
   * @param device whose memory holds the values; the JVM must reach it
   * @param options its parts and limits
   * @param time the clocks
   * @throws DeviceException if the memory does not fit
   */
  public ObjectStore(Device device, StoreOptions options, TimeSource time) {
    super(device, options, time);
  }

  /**
   * An empty store of one part.
   *
   * @param device whose memory holds the values; the JVM must reach it
   * @param bytes how much of it, at least 64 KiB
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
   * @param key its key
   * @return the value, or null if there is none
   */
  public @Nullable ValueReader get(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).get(hashed, labels);
  }

  /**
   * Opens several values, each as of the moment when its turn comes.
   *
   * @param keys their keys
   * @return for each key its value, or null if there is none
   */
  public List<@Nullable ValueReader> getAll(List<byte[]> keys) {
    List<@Nullable ValueReader> readers = new ArrayList<>(keys.size());
    keys.forEach(key -> readers.add(get(key)));
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
    ObjectKey hashed = hash.of(key);
    KeyLabels known = labels.of(key);
    return partitions.get(known.partition()).write(hashed, length, known);
  }

  /**
   * Makes a value visible, all at once, in place of the one before. Pins on that one go over to it,
   * as far as their budget goes.
   *
   * @param writer has received all its bytes
   * @param options when, and for how long
   * @return what came of it
   */
  public SetResult commit(ValueWriter writer, SetOptions options) {
    return of(writer.key).commit(writer, options);
  }

  /**
   * Removes a value, pinned or not. Who reads it reads it to its end.
   *
   * @param key its key
   * @return whether there was one
   */
  public boolean delete(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).delete(hashed);
  }

  /**
   * Whether there is a value, which does not count as a use. An engine that asks for the second
   * value of a chunk in vain counts as a miss: it will not ask for the first.
   *
   * @param key its key
   * @return true if there is one
   */
  public boolean exists(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).exists(hashed, labels);
  }

  /**
   * The size of a value, which does not count as a use.
   *
   * @param key its key
   * @return bytes, or -1 if there is none
   */
  public long length(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).with(hashed, value -> value == null ? -1 : value.length);
  }

  /**
   * When a key's life ends.
   *
   * @param key the key
   * @return wall-clock milliseconds, {@link #NEVER}, or -1 if there is no such key
   */
  public long expiresAt(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return of(hashed).with(hashed, value -> value == null ? -1 : value.expiresAt);
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

  /** Removes all values that are there when it begins, some at a time. */
  public void clear() {
    partitions.forEach(StorePartition::clear);
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
    // The parts take turns, so that a cursor says both the part and the place in it.
    int part = (int) Math.floorMod(cursor, (long) partitions.size());
    long from = Math.max(0, cursor / partitions.size());
    long next = partitions.get(part).scan(from, steps, wanted, keys);
    if (next >= 0) {
      return new ScanPage(next * partitions.size() + part, keys);
    }
    return new ScanPage(part + 1 < partitions.size() ? part + 1 : 0, keys);
  }

  /**
   * Removes values and pins whose time has come. To be called now and then: what is asked for is
   * looked at anyway.
   *
   * @param most how many values to look at in each part
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

package dev.ebb.host.objects;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.cache.Explanation;
import dev.ebb.host.cache.Fairness;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.objects.StoredValue.PinNote;
import dev.ebb.spi.BlockPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
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
public final class ObjectStore implements AutoCloseable {

  /** What {@link #expiresAt} says of a key that lives until it is evicted. */
  public static final long NEVER = StoredValue.NEVER;

  private final KeyHash hash;
  private final TimeSource time;
  private final List<Partition> partitions = new ArrayList<>();
  private final LabelTable labels = new LabelTable(this::partitionOf);
  private final EvictionLog log;
  private final ManualEviction eviction = new ManualEviction(partitions);

  /**
   * An empty store, ordered by the host's own least-recently-used order until {@link #install}.
   *
   * @param device whose memory holds the values; the JVM must reach it
   * @param options its parts and limits
   * @param time the clocks
   * @throws DeviceException if the memory does not fit
   */
  public ObjectStore(Device device, StoreOptions options, TimeSource time) {
    this.time = requireNonNull(time, "time is null");
    long seed = options.seed();
    log = new EvictionLog(options.logSize());
    hash = new KeyHash(seed, Long.rotateLeft(seed * 0x9E3779B97F4A7C15L, 29));
    try {
      for (PartitionSpec spec : options.partitions()) {
        partitions.add(new Partition(device, spec, options, time, log));
      }
    } catch (DeviceException refused) {
      close();
      throw refused;
    }
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
   * Puts a policy in force, an instance for each part.
   *
   * @param name its name, for messages
   * @param maker makes the instances; all are made before any is in force
   */
  public void install(String name, PolicyMaker maker) {
    List<BlockPolicy<?>> made = new ArrayList<>();
    for (Partition partition : partitions) {
      made.add(maker.create(partition.spec.name(), partition.memory().units()));
    }
    for (int i = 0; i < made.size(); i++) {
      partitions.get(i).install(name, made.get(i));
    }
  }

  /**
   * Changes when policies evict ahead of demand, and how long others wait for them.
   *
   * @param limits the new ones, in force at once in every part
   * @throws IllegalStateException if the policies run on their callers' threads
   */
  public void limits(EvictionLimits limits) {
    partitions.forEach(partition -> partition.limits(limits));
  }

  /**
   * What left for want of room or because its time had come.
   *
   * @return the log of all parts, which may be read while the store is used
   */
  public EvictionLog evictionLog() {
    return log;
  }

  /**
   * Why an entry stands where it stands, in the words of the policy in force.
   *
   * @param key its key
   * @return what the policy says; empty if there is no such key, or the policy does not answer
   */
  public Optional<Explanation> explain(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return Optional.ofNullable(of(hashed).explain(hashed));
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
    Labels known = labels.of(key);
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
    Partition partition = of(hashed);
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
    partitions.forEach(Partition::clear);
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
    for (Partition partition : partitions) {
      more |= partition.sweep(most);
    }
    return more;
  }

  /**
   * Looks at an entry, which does not count as a use.
   *
   * @param key its key
   * @return what is known of it; empty if there is no such key
   */
  public Optional<EntryView> find(byte[] key) {
    ObjectKey hashed = hash.of(key);
    Partition partition = of(hashed);
    return partition.with(
        hashed,
        value ->
            Optional.ofNullable(value).map(found -> Views.of(found.whole(), partition.spec, time)));
  }

  /**
   * Keeps an entry from being evicted and from ending for want of use, until the pin ends. A time
   * to live of its own, and a client's word, go before pins.
   *
   * @param key the entry's key
   * @param owner who says so; an owner who has pinned it already gives the pin a new end
   * @param life how long; zero for ever
   * @return false if there is no such key
   * @throws UserError if the pin budget does not hold it
   */
  public boolean pin(byte[] key, String owner, Duration life) {
    ObjectKey hashed = hash.of(key);
    Partition partition = of(hashed);
    long now = time.wallMillis();
    PinNote note = new PinNote(owner, now, life.isZero() ? NEVER : now + life.toMillis());
    return partition.with(
        hashed,
        value -> {
          if (value != null) {
            partition.pins.pin(value.whole(), note);
          }
          return value != null;
        });
  }

  /**
   * Takes pins back.
   *
   * @param key the entry's key
   * @param owner whose; null for all
   * @return whether there were any
   */
  public boolean unpin(byte[] key, @Nullable String owner) {
    ObjectKey hashed = hash.of(key);
    Partition partition = of(hashed);
    return partition.with(
        hashed, value -> value != null && partition.pins.unpin(value.whole(), owner));
  }

  /**
   * Every pin.
   *
   * @return oldest first within each part
   */
  public List<Pin> pins() {
    return partitions.stream().flatMap(partition -> partition.pins().stream()).toList();
  }

  /**
   * Frees room, where most is used first.
   *
   * @param bytes how much, at least 1
   * @return what came of it
   */
  public EvictionResult evictBytes(long bytes) {
    return eviction.bytes(bytes);
  }

  /**
   * Evicts entries, where most is used first.
   *
   * @param entries how many, at least 1
   * @return what came of it
   */
  public EvictionResult evictEntries(long entries) {
    return eviction.entries(entries);
  }

  /**
   * Evicts until every part is filled to a share at most.
   *
   * @param share 0 to 1
   * @return what came of it
   */
  public EvictionResult evictTo(double share) {
    return eviction.to(share);
  }

  /**
   * Evicts one entry.
   *
   * @param key its key
   * @return what came of it
   */
  public EvictionResult evict(byte[] key) {
    ObjectKey hashed = hash.of(key);
    Partition partition = of(hashed);
    return partition.with(
        hashed, value -> eviction.value(partition, value == null ? null : value.whole()));
  }

  /**
   * What each tenant makes of the store, as far as keys say.
   *
   * @return sorted by name; beyond 1,024 names the rest together
   */
  public List<UseStats> tenants() {
    return labels.tenants();
  }

  /**
   * What each model makes of the store, as far as keys say.
   *
   * @return sorted by name; beyond 1,024 names the rest together
   */
  public List<UseStats> models() {
    return labels.models();
  }

  /**
   * How alike tenants are served: Jain's index over their hit ratios.
   *
   * @return 0 to 1; empty as long as no tenant is known, or none has a hit
   */
  public OptionalDouble fairness() {
    Fairness fairness = new Fairness();
    tenants().forEach(each -> fairness.add(each.name(), each.hits(), each.hits() + each.misses()));
    double index = fairness.index();
    return Double.isNaN(index) ? OptionalDouble.empty() : OptionalDouble.of(index);
  }

  /**
   * The store in numbers.
   *
   * @return as of now, one part after the other
   */
  public StoreStats stats() {
    return partitions().stream()
        .map(PartitionStats::numbers)
        .reduce(StoreStats::plus)
        .orElseThrow();
  }

  /**
   * Its parts in numbers.
   *
   * @return the part that everybody shares first
   */
  public List<PartitionStats> partitions() {
    return partitions.stream().map(Partition::stats).toList();
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    partitions.forEach(Partition::close);
  }

  /** The parts themselves. */
  List<Partition> parts() {
    return partitions;
  }

  /** Where a key lives. */
  Partition of(ObjectKey key) {
    return partitions.size() == 1
        ? partitions.getFirst()
        : partitions.get(labels.of(key.bytes()).partition());
  }

  private int partitionOf(String tenant) {
    for (int i = 1; i < partitions.size(); i++) {
      if (tenant.equals(partitions.get(i).spec.tenant())) {
        return i;
      }
    }
    return 0;
  }
}

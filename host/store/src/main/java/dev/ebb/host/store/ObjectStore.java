package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.store.chain.ChunkContext;
import dev.ebb.host.store.chain.RequestListener;
import dev.ebb.host.store.key.GroupObjects;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.KeyParser;
import dev.ebb.host.store.key.Models;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.key.TokenIndex;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.store.value.HeapCharge;
import dev.ebb.host.store.value.MemoryMap;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.host.store.value.StoredValue.PinNote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients' values by key, in the memory of the pool. When it is full, the eviction policy chooses
 * the keys to evict; values in use and pinned ones stay.
 *
 * <p>Thread-safe. The pool has one part that all share, and one for each tenant with a quota. Each
 * part has its own instance of the policy.
 */
public final class ObjectStore implements AutoCloseable {

  /** The unit of caches and policies of the store, their blocks, in bytes. */
  public static final int UNIT_BYTES = ObjectMemory.UNIT_BYTES;

  /** The result of {@link #expiresAt} for a key without a time to live. */
  public static final long NEVER = StoredValue.NEVER;

  static final BitSet NOWHERE = new BitSet(0);

  private final Models models;
  private final KeyParser parser;
  private final List<StorePartition> partitions = new ArrayList<>();
  private final ManualEviction eviction = new ManualEviction(partitions);
  private final TimeSource time;
  private final StoreSite site;
  private volatile KeyListener keyListener = KeyListener.NONE;
  private volatile RequestListener requests = RequestListener.NONE;
  private volatile TokenIndex tokenIndex = TokenIndex.NONE;

  /**
   * Creates an empty store whose active policy is {@code builtin-lru}. Fails if it does not fit.
   */
  public ObjectStore(Device device, StoreOptions options, TimeSource time) {
    this.time = requireNonNull(time, "time is null");
    models = new Models(options.models);
    parser =
        new KeyParser(
            options.seed, this::partitionOf, options.tenantPrefixes, options.chains, models);
    long bytes = options.partitions.stream().mapToLong(PartitionSpec::bytes).sum();
    HeapCharge charge = HeapCharge.of(bytes, options.heapBytes);
    EvictionLog log = new EvictionLog(options.logSize);
    try {
      for (PartitionSpec spec : options.partitions) {
        partitions.add(new StorePartition(device, spec, options, charge, time, log));
      }
    } catch (DeviceException refused) {
      close();
      throw refused;
    }
    site = new StoreSite(this, log, options, time);
  }

  public Device device() {
    return partitions.getFirst().memory.device();
  }

  public PolicySite site() {
    return site;
  }

  /** Opens a value for reading, which counts as a use; returns null if there is none. */
  public @Nullable ValueReader get(byte[] key) {
    return get(parse(key), null, false);
  }

  @Nullable ValueReader get(ObjectKey key, @Nullable StoreConnection by, boolean asksElsewhere) {
    return entered(key, by).get(key, by, asksElsewhere);
  }

  @Nullable String trace(ObjectKey key, StoreConnection by) {
    return requests == RequestListener.NONE ? null : of(key).trace(key, by);
  }

  void answered(ObjectKey key, @Nullable ValuePart part, StoreConnection by) {
    of(key).answered(key, part, by);
  }

  ObjectKey parse(byte[] key) {
    return parser.parse(key);
  }

  /**
   * Returns a connection for one client, which shows the chains of its requests. Those of its host
   * may serve one request; it is empty if unknown.
   */
  public StoreConnection connect(String peer) {
    return connect(peer, MemoryBudget.of(Long.MAX_VALUE));
  }

  /** Opens a connection whose requests that have not ended share a heap with those of others. */
  public StoreConnection connect(String peer, MemoryBudget requests) {
    return new StoreConnection(this, peer, requests);
  }

  public ValueWriter write(byte[] key, long length) {
    return write(parse(key), length, null);
  }

  ValueWriter write(ObjectKey key, long length, @Nullable StoreConnection by) {
    return entered(key, by).write(key, length, by);
  }

  /** Removes a value, pinned or not; returns whether there was one. Open readers stay valid. */
  public boolean delete(byte[] key) {
    ObjectKey parsed = parse(key);
    return of(parsed).delete(parsed);
  }

  /** As {@link StoreConnection#exists(byte[])}, without a use. */
  public boolean exists(byte[] key) {
    return exists(parse(key), null, false);
  }

  boolean exists(ObjectKey key, @Nullable StoreConnection by, boolean elsewhere) {
    return entered(key, by).lookups.exists(key, by, elsewhere);
  }

  /** Returns the indexes of missing keys, as of metadata without bytes. This is not a use. */
  public BitSet missing(List<byte[]> keys) {
    BitSet missing = new BitSet();
    for (int i = 0; i < keys.size(); i++) {
      ObjectKey key = parse(keys.get(i));
      missing.set(i, of(key).lookups.isMissing(key));
    }
    return missing;
  }

  /** As {@link StoreConnection#match}, of no connection if {@code by} is null. */
  int match(
      int count, IntFunction<ObjectKey> keys, @Nullable StoreConnection by, BitSet elsewhere) {
    int found = 0;
    boolean more = true;
    while (more && found < count) {
      ObjectKey key = keys.apply(found);
      more = entered(key, by).lookups.match(key, by, elsewhere.get(found));
      found += more ? 1 : 0;
    }
    return found;
  }

  /** Returns the size of a value in bytes, or -1 if there is none. This is not a use. */
  public long length(byte[] key) {
    return with(key, (partition, value) -> value == null ? -1 : value.length);
  }

  /** Returns when a key expires: wall-clock milliseconds, {@link #NEVER}, or -1 if unknown. */
  public long expiresAt(byte[] key) {
    return with(key, (partition, value) -> value == null ? -1 : value.expiresAt());
  }

  /**
   * Gives a key an end in wall-clock milliseconds, if a condition on its current end holds, which
   * may be {@link #NEVER}; past ones delete the key. Returns whether that was done.
   */
  public boolean expire(byte[] key, long at, LongPredicate condition) {
    return with(
        key,
        (partition, value) -> {
          boolean met = value != null && condition.test(value.expiresAt());
          if (met) {
            partition.values.expireAt(value, at);
          }
          return met;
        });
  }

  public @Nullable ValueReader open(byte[] key) {
    return open(key, false);
  }

  /**
   * Opens a value for a transfer, neither a hit nor a miss. A client of another node may use it.
   */
  public @Nullable ValueReader open(byte[] key, boolean used) {
    ObjectKey parsed = parse(key);
    return of(parsed).open(parsed, used);
  }

  /** Removes a value, with a chunk's bytes its metadata, unless it is newer than a version. */
  public boolean deleteUpTo(byte[] key, long version) {
    ObjectKey parsed = parse(key);
    return of(parsed).deleteUpTo(parsed, version);
  }

  /** Returns what another node has to know of a chunk to which it copies a value. */
  public ChunkContext context(byte[] key) {
    ObjectKey parsed = parse(key);
    StorePartition partition = of(parsed);
    return partition.place.locked(() -> partition.chains.contexts.of(parsed));
  }

  /** Records what another node knows of a chunk of which it has sent a value. */
  public void inform(byte[] key, ChunkContext context) {
    ObjectKey parsed = parse(key);
    List<ObjectKey> before = context.before().stream().map(this::parse).toList();
    StorePartition partition = of(parsed);
    partition.place.locked(
        () -> partition.chains.contexts.received(parsed, context.groups(), before));
  }

  /**
   * Returns the main keys of all values in the order in which copies of them are worth most: prompt
   * by prompt from the front, the last used first, all objects of a chunk together. Then those that
   * no prompt has needed yet, and last what no prompt can use.
   */
  public List<byte[]> mainKeysByUse() {
    List<byte[]> keys = new ArrayList<>();
    partitions.forEach(partition -> keys.addAll(partition.values.mainKeysByUse()));
    return keys;
  }

  /**
   * Passes the main keys of all values, as {@link ChangeListener} receives them. Each slice of keys
   * is collected under the lock of its part and passed without it. A key that exists all the time
   * is passed, or reported to the listener meanwhile.
   */
  public void eachMainKey(Consumer<byte[]> action) {
    partitions.forEach(partition -> partition.values.eachMainKey(action));
  }

  /** Removes all values that exist when it starts, some at a time. */
  public void clear() {
    keyListener.cleared();
    partitions.forEach(StorePartition::clear);
  }

  /**
   * Lists some keys, from a cursor of 0 or of the last page on. A key that exists all the time is
   * listed. At least one slot is visited.
   */
  public ScanPage scan(long cursor, int steps, Predicate<byte[]> wanted) {
    List<byte[]> keys = new ArrayList<>();
    // The parts take turns, so that a cursor contains both the part and the position in it.
    int part = (int) Math.floorMod(cursor, (long) partitions.size());
    long from = Math.max(0, cursor / partitions.size());
    long next = partitions.get(part).values.scan(from, steps, wanted, keys);
    if (next >= 0) {
      return new ScanPage(next * partitions.size() + part, keys);
    }
    return new ScanPage(part + 1 < partitions.size() ? part + 1 : 0, keys);
  }

  /**
   * Removes expired values and pins, now and then: a requested value is checked anyway. Returns
   * whether there may be more than so many checked in each part.
   */
  public boolean sweep(int most) {
    boolean more = false;
    for (StorePartition partition : partitions) {
      more |= partition.sweep(most);
    }
    return more;
  }

  /** Returns the state of an entry, if there is one. This is not a use. */
  public Optional<EntryView> find(byte[] key) {
    return with(
        key,
        (partition, value) ->
            Optional.ofNullable(value)
                .map(found -> EntryView.of(found, partition.spec.name(), time)));
  }

  /** Returns what would be passed to an {@link EvictionListener} if a value were evicted now. */
  public Optional<EvictedValue> evictedValue(byte[] key) {
    return with(
        key, (partition, value) -> Optional.ofNullable(value).map(partition.values::evictedValue));
  }

  /** Returns the policy's explanation of an entry; empty without such a key or an answer. */
  public Optional<Explanation> explain(byte[] key) {
    return with(key, (partition, value) -> Optional.ofNullable(partition.explain(value)));
  }

  /**
   * Protects an entry from eviction and idleness for a time, zero for ever. A time to live of its
   * own and a client's deletion take precedence. An existing pin of the owner gets a new end.
   * Returns false if there is no such key; fails if the pin budget is too small.
   */
  public boolean pin(byte[] key, String owner, Duration life) {
    long now = time.wallMillis();
    long end = life.isZero() ? NEVER : now + Math.min(life.toMillis(), NEVER - now);
    PinNote note = new PinNote(owner, now, end);
    return with(
        key,
        (partition, value) -> {
          if (value != null) {
            partition.pins.pin(value.whole(), note);
          }
          return value != null;
        });
  }

  /** Removes an owner's pins, or all for null; returns whether there were any. */
  public boolean unpin(byte[] key, @Nullable String owner) {
    return with(
        key, (partition, value) -> value != null && partition.pins.unpin(value.whole(), owner));
  }

  /** Returns every pin, oldest first within each part. */
  public List<Pin> pins() {
    return partitions.stream().flatMap(partition -> partition.pins().stream()).toList();
  }

  public ManualEviction eviction() {
    return eviction;
  }

  public EvictionResult evict(byte[] key) {
    return with(
        key, (partition, value) -> eviction.value(partition, value == null ? null : value.whole()));
  }

  /** Returns the use by each tenant that keys name, sorted by name; beyond 1,024 together. */
  public List<UseStats> tenants() {
    return parser.tenants();
  }

  public Models knownModels() {
    return models;
  }

  /** Returns the use by each model that keys name, sorted by name; beyond 1,024 together. */
  public List<UseStats> models() {
    return parser.models();
  }

  /** Returns the objects of each group of models that have more than one, sorted by model. */
  public List<GroupObjects> groups() {
    return parser.groups();
  }

  public StoreStats stats() {
    return StoreStats.sum(partitions());
  }

  /** Returns the parts' statistics, the shared part first. */
  public List<PartitionStats> partitions() {
    return partitions.stream().map(StorePartition::stats).toList();
  }

  public List<MemoryMap.Summary> memory() {
    return partitions.stream()
        .map(each -> each.place.locked(() -> each.memory.summary(each.spec.name())))
        .toList();
  }

  /** Returns the use of each block of its parts. Each part is locked meanwhile. */
  public List<MemoryMap> maps() {
    return partitions.stream().map(StorePartition::map).toList();
  }

  /** Changes how long values live without being used; zero for ever. */
  public void idle(Duration idle) {
    partitions.forEach(partition -> partition.idle(idle.toNanos()));
  }

  /** Changes how long a value that a lookup found is kept from eviction; zero for no time. */
  public void lookupLease(Duration lease) {
    each(partition -> partition.leases.duration(lease.toNanos()));
  }

  /** Changes the share of each part that operators may pin, 0 to 1. Existing pins stay. */
  public void pinBudget(double share) {
    each(partition -> partition.pins.budget((long) (partition.memory.units() * share)));
  }

  public void keyListener(KeyListener listener) {
    keyListener = requireNonNull(listener, "listener is null");
    each(partition -> partition.chains.keyListener(listener));
  }

  public void tokenIndex(TokenIndex index) {
    tokenIndex = requireNonNull(index, "index is null");
  }

  /** Returns what knows the tokens of values; {@link TokenIndex#NONE} if nothing does. */
  public TokenIndex tokenIndex() {
    return tokenIndex;
  }

  public void requestListener(RequestListener listener) {
    requireNonNull(listener, "listener is null");
    requests = listener;
    each(partition -> partition.chains.requestListener(listener));
  }

  public RequestListener requestListener() {
    return requests;
  }

  public void evictionListener(EvictionListener listener) {
    requireNonNull(listener, "listener is null");
    each(partition -> partition.evictionListener(listener));
  }

  public void changeListener(ChangeListener listener) {
    requireNonNull(listener, "listener is null");
    each(partition -> partition.values.changeListener(listener));
  }

  /**
   * Sets where the versions of new values come from, each above all before; under a part's lock.
   */
  public void versions(LongSupplier next) {
    requireNonNull(next, "next is null");
    each(partition -> partition.versions = next);
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    partitions.forEach(StorePartition::close);
  }

  List<StorePartition> parts() {
    return partitions;
  }

  private void each(Consumer<StorePartition> action) {
    partitions.forEach(partition -> partition.place.locked(() -> action.accept(partition)));
  }

  private <T> T with(byte[] key, BiFunction<StorePartition, @Nullable StoredValue, T> action) {
    ObjectKey parsed = parse(key);
    StorePartition partition = of(parsed);
    return partition.place.locked(() -> action.apply(partition, partition.values.find(parsed)));
  }

  /** Ends a request of a connection that was for another part than a key's. */
  private StorePartition entered(ObjectKey key, @Nullable StoreConnection by) {
    StorePartition partition = of(key);
    if (by != null) {
      partition.chains.enter(by);
    }
    return partition;
  }

  StorePartition of(ObjectKey key) {
    return partitions.get(key.labels().partition());
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

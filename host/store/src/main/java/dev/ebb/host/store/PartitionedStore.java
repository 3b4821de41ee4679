package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.cache.Explanation;
import dev.ebb.host.cache.Fairness;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.store.StoredValue.PinNote;
import dev.ebb.spi.PolicyClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A store's parts, the part of each key, and operations on all of them. */
abstract sealed class PartitionedStore implements StoreOperations, PolicySite, AutoCloseable
    permits ObjectStore {

  final KeyHash hash;
  final List<StorePartition> partitions = new ArrayList<>();
  final LabelTable labels = new LabelTable(this::partitionOf);
  private final EvictionLog log;
  private final ManualEviction eviction = new ManualEviction(partitions);
  private final List<PolicyPlace> places;
  private final TimeSource time;
  private volatile @Nullable EvictionLimits limits;

  PartitionedStore(Device device, StoreOptions options, TimeSource time) {
    this.time = requireNonNull(time, "time is null");
    log = new EvictionLog(options.logSize());
    long seed = options.seed();
    hash = new KeyHash(seed, Long.rotateLeft(seed * 0x9E3779B97F4A7C15L, 29));
    List<PolicyPlace> all = new ArrayList<>();
    long bytes = options.partitions().stream().mapToLong(PartitionSpec::bytes).sum();
    HeapCharge charge = HeapCharge.of(bytes, options.heapBytes());
    try {
      for (PartitionSpec spec : options.partitions()) {
        StorePartition partition = new StorePartition(device, spec, options, charge, time, log);
        partitions.add(partition);
        all.add(partition.place());
      }
    } catch (DeviceException refused) {
      close();
      throw refused;
    }
    places = List.copyOf(all);
    limits = options.limits();
  }

  @Override
  public @Nullable EvictionLimits limits() {
    return limits;
  }

  @Override
  public void limits(EvictionLimits next) {
    partitions.forEach(partition -> partition.limits(next));
    limits = next;
  }

  @Override
  public EvictionLog evictionLog() {
    return log;
  }

  @Override
  public Optional<Explanation> explain(byte[] key) {
    ObjectKey hashed = hash.of(key);
    return Optional.ofNullable(of(hashed).explain(hashed));
  }

  @Override
  public Optional<EntryView> find(byte[] key) {
    ObjectKey hashed = hash.of(key);
    StorePartition partition = of(hashed);
    return partition.with(
        hashed,
        value -> Optional.ofNullable(value).map(found -> Views.of(found, partition.spec, time)));
  }

  @Override
  public boolean pin(byte[] key, String owner, Duration life) {
    ObjectKey hashed = hash.of(key);
    StorePartition partition = of(hashed);
    long now = time.wallMillis();
    long never = ObjectStore.NEVER;
    long end = life.isZero() ? never : now + Math.min(life.toMillis(), never - now);
    PinNote note = new PinNote(owner, now, end);
    return partition.with(
        hashed,
        value -> {
          if (value != null) {
            partition.pins.pin(value.whole(), note);
          }
          return value != null;
        });
  }

  @Override
  public boolean unpin(byte[] key, @Nullable String owner) {
    ObjectKey hashed = hash.of(key);
    StorePartition partition = of(hashed);
    return partition.with(
        hashed, value -> value != null && partition.pins.unpin(value.whole(), owner));
  }

  @Override
  public List<Pin> pins() {
    return partitions.stream().flatMap(partition -> partition.pins().stream()).toList();
  }

  @Override
  public EvictionResult evictBytes(long bytes) {
    return eviction.bytes(bytes);
  }

  @Override
  public EvictionResult evictEntries(long entries) {
    return eviction.entries(entries);
  }

  @Override
  public EvictionResult evictTo(double share) {
    return eviction.to(share);
  }

  @Override
  public EvictionResult evict(byte[] key) {
    ObjectKey hashed = hash.of(key);
    StorePartition partition = of(hashed);
    return partition.with(
        hashed, value -> eviction.value(partition, value == null ? null : value.whole()));
  }

  @Override
  public List<UseStats> tenants() {
    return labels.tenants();
  }

  @Override
  public List<UseStats> models() {
    return labels.models();
  }

  @Override
  public OptionalDouble fairness() {
    Fairness fairness = new Fairness();
    tenants().forEach(each -> fairness.add(each.name(), each.hits(), each.hits() + each.misses()));
    double index = fairness.index();
    return Double.isNaN(index) ? OptionalDouble.empty() : OptionalDouble.of(index);
  }

  @Override
  public StoreStats stats() {
    return stats(partitions());
  }

  private static StoreStats stats(List<PartitionStats> parts) {
    return parts.stream().map(PartitionStats::numbers).reduce(StoreStats::plus).orElseThrow();
  }

  @Override
  public List<PartitionStats> partitions() {
    return partitions.stream().map(StorePartition::stats).toList();
  }

  @Override
  public List<MemoryMap.Summary> memory() {
    return partitions.stream().map(StorePartition::summary).toList();
  }

  @Override
  public List<MemoryMap> maps() {
    return partitions.stream().map(StorePartition::map).toList();
  }

  @Override
  public List<PolicyPlace> places() {
    return places;
  }

  @Override
  public PolicyClock clock() {
    return time::nanos;
  }

  @Override
  public long blockBytes() {
    return ObjectMemory.UNIT_BYTES;
  }

  @Override
  public SiteUse use() {
    List<PartitionStats> parts = partitions();
    StoreStats all = stats(parts);
    return new SiteUse(
        parts.stream().map(PartitionedStore::placeUse).toList(),
        all.evictedBytes(),
        all.hits() + all.misses(),
        all.prematureEvictions().count(),
        requested(models()),
        requested(tenants()));
  }

  private static SiteUse.Place placeUse(PartitionStats part) {
    return new SiteUse.Place(
        part.name(), part.numbers().usedBytes(), part.numbers().capacityBytes());
  }

  private static Map<String, Long> requested(List<UseStats> labels) {
    return labels.stream()
        .collect(Collectors.toMap(UseStats::name, each -> each.hits() + each.misses()));
  }

  @Override
  public void idle(Duration idle) {
    partitions.forEach(partition -> partition.idle(idle.toNanos()));
  }

  @Override
  public void pinBudget(double share) {
    partitions.forEach(partition -> partition.pinBudget(share));
  }

  /** Frees the memory. Readers and writers must be closed before. */
  @Override
  public void close() {
    partitions.forEach(StorePartition::close);
  }

  List<StorePartition> parts() {
    return partitions;
  }

  StorePartition of(ObjectKey key) {
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

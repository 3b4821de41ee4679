package dev.ebb.host.store;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A manual eviction, slice by slice so that clients can run in between. */
public final class ManualEviction {

  /** The most that is freed while the lock is held. */
  private static final long SLICE_UNITS = 16L << 10;

  private final List<StorePartition> partitions;

  ManualEviction(List<StorePartition> partitions) {
    this.partitions = partitions;
  }

  /** Frees at least so many bytes, first in the fullest part. */
  public EvictionResult bytes(long asked) {
    StoreStats before = stats(partitions);
    long left = Math.ceilDiv(asked, ObjectMemory.UNIT_BYTES);
    for (StorePartition partition : fullestFirst()) {
      left -= evict(partition, left);
    }
    return result(before, asked, partitions, left > 0);
  }

  /** Evicts so many entries, first in the fullest part. */
  public EvictionResult entries(long asked) {
    StoreStats before = stats(partitions);
    long left = asked;
    for (StorePartition partition : fullestFirst()) {
      // One unit at a time evicts one entry at a time.
      while (left > 0 && evictSlice(partition, 1) > 0) {
        left--;
      }
    }
    return result(before, 0, partitions, left > 0);
  }

  /** Evicts until no part is filled beyond a share, 0 to 1. */
  public EvictionResult to(double share) {
    StoreStats before = stats(partitions);
    long asked = 0;
    boolean missing = false;
    for (StorePartition partition : partitions) {
      long excess = used(partition) - (long) (capacity(partition) * share);
      if (excess > 0) {
        asked += excess;
        missing |= evict(partition, excess) < excess;
      }
    }
    return result(before, asked * ObjectMemory.UNIT_BYTES, partitions, missing);
  }

  /** Evicts one entry, unless it is pinned or in use. */
  EvictionResult value(StorePartition partition, @Nullable StoredValue value) {
    StoreStats before = partition.stats().numbers();
    if (value == null) {
      return EvictionResult.of(before, before, 0, "there is no such key");
    }
    long bytes = value.wholeBytes();
    String held = held(value);
    if (held.isEmpty()) {
      partition.values.removeWhole(value, RemovalCause.EVICTED);
    }
    return EvictionResult.of(before, partition.stats().numbers(), bytes, held);
  }

  private static long evict(StorePartition partition, long units) {
    long freed = 0;
    while (freed < units) {
      long slice = evictSlice(partition, Math.min(SLICE_UNITS, units - freed));
      if (slice == 0) {
        break;
      }
      freed += slice;
    }
    return freed;
  }

  private static long evictSlice(StorePartition partition, long units) {
    return partition.place.locked(
        () -> partition.cache.evict(units, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
  }

  private List<StorePartition> fullestFirst() {
    return partitions.stream()
        .sorted(
            Comparator.comparingDouble((StorePartition each) -> -1.0 * used(each) / capacity(each)))
        .toList();
  }

  private static long used(StorePartition partition) {
    return partition.place.locked(() -> partition.cache.occupiedBlocks());
  }

  private static long capacity(StorePartition partition) {
    return partition.memory.units();
  }

  private static String held(StoredValue value) {
    if (!value.pins().isEmpty()) {
      Set<String> owners = new TreeSet<>();
      value.pins().forEach(pin -> owners.add(pin.owner()));
      return "pinned by " + owners;
    }
    return value.shard(each -> each.readers() > 0) == null ? "" : "being read";
  }

  private static EvictionResult result(
      StoreStats before, long asked, List<StorePartition> partitions, boolean missing) {
    StoreStats after = stats(partitions);
    return EvictionResult.of(before, after, asked, missing ? kept(partitions, after) : "");
  }

  private static String kept(List<StorePartition> partitions, StoreStats now) {
    Set<String> owners = new TreeSet<>();
    partitions.forEach(each -> each.pins().forEach(pin -> owners.add(pin.owner())));
    String pinned =
        now.pinned() == 0 ? "" : "'%d' entries pinned by %s, ".formatted(now.pinned(), owners);
    return "%s'%d' being read, '%d' being written; policy '%s' offers nothing more"
        .formatted(
            pinned,
            now.states().getOrDefault(EntryState.REUSED, 0L),
            now.states().getOrDefault(EntryState.STORING, 0L),
            partitions.getFirst().place.policy());
  }

  private static StoreStats stats(List<StorePartition> partitions) {
    return StoreStats.sum(partitions.stream().map(StorePartition::stats).toList());
  }
}

package dev.ebb.host.engine;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.engine.pool.CachedBlock;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.tier.DiskPages;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Manual evictions from an engine's caches, in slices so that sequences can run in between. */
final class BlockEviction {

  /** The most blocks that are evicted while the lock is held. */
  private static final long SLICE = 1 << 10;

  private final Engine engine;

  BlockEviction(Engine engine) {
    this.engine = engine;
  }

  CachedBlock.Eviction bytes(long bytes) {
    return blocks(Math.ceilDiv(bytes, engine.unitBytes()), bytes);
  }

  CachedBlock.Eviction blocks(long blocks) {
    return blocks(blocks, 0);
  }

  private CachedBlock.Eviction blocks(long blocks, long askedBytes) {
    Before before = before();
    long left = blocks;
    for (DevicePartition partition : fullestFirst()) {
      left -= evict(partition, left);
    }
    return since(before, askedBytes, left > 0 ? kept() : "");
  }

  CachedBlock.Eviction to(double share) {
    Before before = before();
    long asked = 0;
    boolean missing = false;
    for (DevicePartition partition : engine.partitions) {
      long excess = used(partition) - (long) (share * partition.pool.blocks());
      if (excess > 0) {
        long blocks = Math.ceilDiv(excess, partition.windows.unit());
        asked += blocks * engine.unitBytes();
        missing |= evict(partition, blocks) < blocks;
      }
    }
    return since(before, asked, missing ? kept() : "");
  }

  /** Evicts blocks and all behind them. */
  CachedBlock.Eviction of(Supplier<List<CachedBlocks.Place>> blocks) {
    return engine.locked(() -> {
      Before before = before();
      return since(before, 0, remove(blocks.get(), RemovalCause.EVICTED));
    });
  }

  /**
   * Removes blocks and all behind them; returns why some stay, empty if none does. Under the lock.
   */
  String remove(List<CachedBlocks.Place> places, RemovalCause cause) {
    long kept = 0;
    for (CachedBlocks.Place place : places) {
      for (CacheEntry entry : deepestFirst(place)) {
        kept += remove(place.partition(), entry, cause) ? 0 : 1;
      }
    }
    engine.freed.signalAll();
    return kept == 0
        ? ""
        : "'%d' blocks of this prefix are in use by sequences, or pinned".formatted(kept);
  }

  /** Deleted blocks are removed from the disk too. */
  boolean remove(DevicePartition partition, CacheEntry entry, RemovalCause cause) {
    long low = entry.fingerprint();
    long high = entry.high();
    boolean removed = partition.cache.remove(entry, cause);
    DiskPages disk = engine.disk;
    if (removed && cause == RemovalCause.DELETED && disk != null) {
      disk.remove(low, high);
    }
    return removed;
  }

  /** Returns a block and all behind it. */
  private static List<CacheEntry> deepestFirst(CachedBlocks.Place place) {
    Set<CacheEntry> behind = new HashSet<>();
    Set<CacheEntry> others = new HashSet<>();
    behind.add(place.entry());
    List<CacheEntry> path = new ArrayList<>();
    for (int slot = 0; slot < place.partition().pool.blocks(); slot++) {
      CacheEntry on = place.partition().cache.at(slot);
      path.clear();
      while (on != null && !behind.contains(on) && !others.contains(on)) {
        path.add(on);
        on = on.parent();
      }
      (on != null && behind.contains(on) ? behind : others).addAll(path);
    }
    return behind.stream().sorted(Comparator.comparingInt(CacheEntry::depth).reversed()).toList();
  }

  private long evict(DevicePartition partition, long blocks) {
    long left = blocks;
    while (left > 0) {
      long slice = Math.min(SLICE, left);
      long freed =
          engine.locked(() -> {
            engine.freed.signalAll();
            return partition.cache.evict(slice, Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
          });
      if (freed == 0) {
        break;
      }
      left -= freed;
    }
    return blocks - left;
  }

  private List<DevicePartition> fullestFirst() {
    return engine.partitions.stream()
        .sorted(
            Comparator.comparingDouble(
                (DevicePartition each) -> -1.0 * used(each) / each.pool.blocks()))
        .toList();
  }

  private long used(DevicePartition partition) {
    return engine.locked(partition::usedBlocks);
  }

  private String kept() {
    return engine.locked(() -> {
      int pinned = engine.partitions.stream().mapToInt(each -> each.pins.kept().size()).sum();
      return "'%d' open sequences use blocks, '%d' blocks are pinned; policy '%s' offers nothing more"
          .formatted(
              engine.sequences.size(), pinned, engine.partitions.getFirst().cache.policyName());
    });
  }

  private Before before() {
    return engine.locked(() -> new Before(removed(), usedBytes()));
  }

  private long removed() {
    return engine.partitions.stream().mapToLong(each -> each.cache.evictions()).sum();
  }

  private long usedBytes() {
    return engine.partitions.stream()
        .mapToLong(each -> used(each) * each.layout().blockBytes())
        .sum();
  }

  /** Counters before an eviction. */
  private record Before(long evictions, long bytes) {}

  private CachedBlock.Eviction since(Before before, long askedBytes, String reason) {
    return engine.locked(() -> {
      long blocks = removed() - before.evictions;
      return new CachedBlock.Eviction(
          askedBytes, blocks * engine.unitBytes(), blocks, before.bytes, usedBytes(), reason);
    });
  }
}

package dev.ebb.host.admin.pool;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.engine.PoolView;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.View;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.value.MemoryMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool or a partition. Values that do not apply are null: a pool of clients' values has no
 * sequences, and an engine's pool has no values.
 *
 * @param topology the place of the memory in the machine
 * @param fragmentation fraction of free blocks in short runs
 * @param allocations the time to obtain memory for a sequence or a value, with evictions and waits
 * @param migrations the time of completed migrations to this device
 * @param reclaim actions taken because there was no free block
 */
public record PoolDocument(
    String device,
    Topology topology,
    @Nullable String partition,
    String policy,
    int blocks,
    int freeBlocks,
    @Nullable Integer smallBlocks,
    int blockBytes,
    double utilisation,
    double fragmentation,
    int largestFreeRun,
    @Nullable Long usedBytes,
    @Nullable Long evictableBytes,
    Durations allocations,
    @Nullable Durations migrations,
    @Nullable Integer cachedBlocks,
    @Nullable Integer evictableBlocks,
    @Nullable Integer reservedBlocks,
    @Nullable TrafficCounters traffic,
    @Nullable ReclaimCounters reclaim,
    @Nullable List<SequenceReport> sequences) {

  /**
   * Durations since the start, in seconds. Without any, all but the count are null.
   *
   * @param p99 at most one percent too large
   */
  public record Durations(
      long count, @Nullable Double mean, @Nullable Double p99, @Nullable Double max) {

    static Durations of(Histogram nanos) {
      long count = nanos.count();
      return count == 0
          ? new Durations(0, null, null, null)
          : new Durations(
              count, nanos.sum() / count / 1e9, nanos.quantile(0.99) / 1e9, nanos.max() / 1e9);
    }
  }

  /**
   * The place of the memory in the machine.
   *
   * @param numaNodes empty if there is one node, or the operating system chooses
   * @param numaPolicy {@code default}, {@code preferred} or {@code interleave}
   * @param links the other GPUs, the nearest first
   */
  public record Topology(List<Integer> numaNodes, String numaPolicy, List<Link> links) {

    /**
     * The path to another GPU.
     *
     * @param type {@code nvlink}, {@code pcie} or {@code host}
     */
    public record Link(String device, String type) {}

    static Topology of(DeviceTopology topology) {
      return new Topology(
          topology.numaNodes(),
          topology.numaPolicy(),
          topology.links().stream()
              .map(link -> new Link(link.device(), Json.word(link.type())))
              .toList());
    }
  }

  public record All(List<PoolDocument> pools) {}

  static PoolDocument of(PoolView pool, @Nullable String partition) {
    PoolReport report = pool.report();
    return View.of(PoolDocument.class, report, report.pool())
        .with("topology", Topology.of(pool.device().topology()))
        .with("partition", partition)
        .with("allocations", Durations.of(report.obtainingNanos()))
        .with("migrations", Durations.of(report.migrationNanos()))
        .get();
  }

  static PoolDocument of(Device device, MemoryMap.Summary memory, PartitionStats stats) {
    return View.of(PoolDocument.class, memory, stats.numbers())
        .with("device", device.name())
        .with("topology", Topology.of(device.topology()))
        .with("partition", memory.name())
        .with("policy", stats.cache().policy())
        .with("utilisation", 1 - (double) memory.freeBlocks() / memory.blocks())
        .with("evictableBytes", stats.cache().evictableBlocks() * ObjectStore.UNIT_BYTES)
        .with("allocations", Durations.of(stats.numbers().allocating()))
        .get();
  }
}

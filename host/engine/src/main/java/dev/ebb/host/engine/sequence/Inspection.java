package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.state.SavedStates;
import dev.ebb.host.engine.state.StateStats;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.engine.stats.PromptTokens;
import dev.ebb.host.engine.stats.PruningStats;
import dev.ebb.host.engine.tier.DiskPages;
import java.util.List;

/** Builds reports of an engine; under its lock. */
public final class Inspection {

  private Inspection() {}

  public static PoolReport report(Engine engine, DevicePartition partition) {
    BlockCache cache = partition.cache;
    int unit = partition.windows.unit();
    List<SequenceReport> sequences =
        engine.sequenceBlocks(partition).map(Inspection::report).toList();
    return new PoolReport(
        partition.name(),
        cache.policyName(),
        partition.pool.stats(),
        (int) cache.residentBlocks() * unit,
        (int) cache.evictableBlocks() * unit,
        sequences.stream().mapToInt(SequenceReport::reservedBlocks).sum(),
        partition.traffic.counters(),
        partition.reclaimer.counters(),
        partition.reclaimer.obtaining.copy(),
        partition.traffic.migrating.copy(),
        sequences);
  }

  private static SequenceReport report(SequenceBlocks held) {
    Sequence sequence = held.sequence();
    int cached = (int) held.cachedBlocks();
    return new SequenceReport(
        sequence.id,
        sequence.asked.facts().tenant(),
        sequence.asked.facts().workload(),
        sequence.asked.facts().priority(),
        sequence.stored.longest(),
        cached,
        held.table.size() - cached,
        held.reservedBlocks(),
        sequence.uses > 0,
        sequence.migration != null);
  }

  public static PoolMap map(Engine engine, DevicePartition partition) {
    int blocks = partition.pool.blocks();
    PoolMap map = new PoolMap(blocks);
    for (int block = 0; block < blocks; block++) {
      if (partition.cached.holds(block)) {
        map.set(block, BlockUse.CACHED);
        CacheEntry entry = partition.cache.at(partition.cached.slot(block));
        map.assign(block, entry == null ? null : entry.tenant());
      } else if (partition.pool.info(block).references() > 0) {
        // Unless a sequence below has it in its table.
        map.set(block, BlockUse.RESERVED);
      }
    }
    SavedStates states = partition.states;
    if (states != null) {
      states.forEachBlock(block -> map.set(block, BlockUse.CACHED));
    }
    engine.sequenceBlocks(partition).forEach(held -> mark(map, held));
    return map;
  }

  private static void mark(PoolMap map, SequenceBlocks held) {
    BlockUse own = held.sequence().migration == null ? BlockUse.OWNED : BlockUse.MIGRATING;
    String tenant = held.sequence().asked.facts().tenant();
    held.table.forEach(block -> {
      boolean first = map.use(block) == BlockUse.RESERVED;
      map.set(block, first ? own : BlockUse.SHARED);
      if (first) {
        map.assign(block, tenant);
      }
    });
  }

  public static EngineStats stats(Engine engine) {
    PruningStats pruning = engine.tokens.stats();
    DiskPages disk = engine.disk;
    DiskTierStats diskStats = disk == null ? null : disk.stats();
    return engine.locked(() -> {
      PromptTokens tenants = new PromptTokens();
      engine.partitions.forEach(partition -> tenants.add(partition.traffic.tenants));
      return new EngineStats(
          engine.isOpen(),
          engine.sequences.size(),
          engine.partitions.stream().map(Inspection::stats).toList(),
          tenants.stats(),
          tenants.fairness(),
          pruning,
          engine.offload == null ? OffloadStats.NONE : engine.offload.stats(),
          diskStats,
          engine.remote == null ? null : engine.remote.stats(),
          engine.requests.stats());
    });
  }

  private static DeviceStats stats(DevicePartition partition) {
    long blockBytes = partition.layout().blockBytes();
    int blocks = partition.pool.blocks();
    return new DeviceStats(
        partition.name(),
        blockBytes * partition.windows.unit(),
        blocks * blockBytes,
        (blocks - partition.pool.freeBlocks()) * blockBytes,
        partition.evictableBlocks() * blockBytes,
        partition.evictsOnDemand(),
        partition.pool.stats().fragmentation(),
        partition.openSequences(),
        partition.cache.stats(),
        partition.cache.evictions(),
        partition.evictedBlocks() * blockBytes,
        partition.cache.ghosts().askedAgain(),
        partition.cache.ghosts().length(),
        partition.reusedEntries(),
        partition.pins.kept().size(),
        partition.states == null ? StateStats.NONE : partition.states.stats(),
        partition.traffic.counters(),
        partition.reclaimer.counters(),
        partition.reclaimer.obtaining.copy(),
        partition.traffic.migrating.copy());
  }
}

package dev.ebb.host.engine;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
import java.util.List;

/** Builds reports of an engine; under its lock. */
final class Inspection {

  private Inspection() {}

  static PoolReport report(Engine engine, DevicePartition partition) {
    BlockCache cache = partition.cache;
    int groups = partition.layout().laneGroups();
    List<SequenceReport> sequences = engine.holdings(partition).map(Inspection::report).toList();
    return new PoolReport(
        partition.name(),
        cache.policyName(),
        partition.pool.stats(),
        (int) cache.residentBlocks() * groups,
        (int) cache.evictableBlocks() * groups,
        sequences.stream().mapToInt(SequenceReport::reservedBlocks).sum(),
        partition.traffic.counters(),
        partition.shortage.counters(),
        sequences);
  }

  private static SequenceReport report(SequenceBlocks holding) {
    Sequence sequence = holding.sequence();
    int cached = holding.matchedPages * holding.partition.layout().laneGroups();
    return new SequenceReport(
        sequence.id,
        sequence.asked.facts().tenant(),
        sequence.asked.facts().workload(),
        sequence.priority(),
        sequence.stored.longest(),
        cached,
        holding.table.size() - cached,
        holding.reservedBlocks(),
        sequence.uses > 0,
        sequence.migration != null);
  }

  static PoolMap map(Engine engine, DevicePartition partition) {
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
    engine.holdings(partition).forEach(holding -> mark(map, holding));
    return map;
  }

  private static void mark(PoolMap map, SequenceBlocks holding) {
    BlockUse own = holding.sequence().migration == null ? BlockUse.OWNED : BlockUse.MIGRATING;
    String tenant = holding.sequence().asked.facts().tenant();
    holding.table.forEach(block -> {
      boolean first = map.use(block) == BlockUse.RESERVED;
      map.set(block, first ? own : BlockUse.SHARED);
      if (first) {
        map.assign(block, tenant);
      }
    });
  }
}

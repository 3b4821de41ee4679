package dev.ebb.host.engine;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.pool.Reservation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at an engine; under its lock. */
final class Inspection {

  private Inspection() {}

  static PoolReport report(Engine engine) {
    BlockCache cache = engine.cache;
    int groups = engine.layout().laneGroups();
    List<SequenceReport> sequences =
        engine.sequences.stream().map(sequence -> report(sequence, groups)).toList();
    Traffic traffic = engine.traffic;
    return new PoolReport(
        engine.pool.device().name(),
        cache.policyName(),
        engine.pool.stats(),
        (int) cache.residentBlocks() * groups,
        (int) cache.evictableBlocks() * groups,
        sequences.stream().mapToInt(SequenceReport::reservedBlocks).sum(),
        traffic.counters(),
        engine.shortage.counters(),
        sequences);
  }

  private static SequenceReport report(Sequence sequence, int groups) {
    int cached = sequence.matchedPages * groups;
    return new SequenceReport(
        sequence.id,
        sequence.asked.facts().tenant(),
        sequence.asked.facts().workload(),
        sequence.priority(),
        sequence.length,
        cached,
        sequence.table.size() - cached,
        left(sequence.reservation),
        sequence.uses > 0);
  }

  static int left(@Nullable Reservation reservation) {
    return reservation == null ? 0 : reservation.left();
  }

  static PoolMap map(Engine engine) {
    int blocks = engine.pool.blocks();
    PoolMap map = new PoolMap(blocks);
    for (int block = 0; block < blocks; block++) {
      if (engine.cached.holds(block)) {
        map.set(block, BlockUse.CACHED);
      } else if (engine.pool.info(block).references() > 0) {
        // Unless a sequence turns up below that has it in its table.
        map.set(block, BlockUse.RESERVED);
      }
    }
    for (Sequence sequence : engine.sequences) {
      for (int i = 0; i < sequence.table.size(); i++) {
        int block = sequence.table.at(i);
        boolean first = map.use(block) == BlockUse.RESERVED;
        map.set(block, first ? BlockUse.OWNED : BlockUse.SHARED);
      }
    }
    return map;
  }
}

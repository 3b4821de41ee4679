package dev.ebb.host.engine;

import dev.ebb.host.pool.BlockRelocation;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvPool;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Compaction of one pool: keeps blocks in use where they are, and follows those that move. */
final class Movement {

  private final Engine engine;
  private final DevicePartition partition;
  private final KvPool pool;

  Movement(Engine engine, DevicePartition partition) {
    this.engine = engine;
    this.partition = partition;
    pool = partition.pool;
    pool.movement().onMove(this::moved);
  }

  /** One slice; nothing is read or written now but what an open access or a migration covers. */
  CompactionReport betweenBatches(double threshold, long maxBytes) {
    return keeping(SequenceBlocks::inUse, () -> pool.movement().compact(threshold, maxBytes));
  }

  /** One slice that moves only what no open sequence has. */
  CompactionReport inBackground(double threshold, long maxBytes) {
    return keeping(holding -> true, () -> pool.movement().compact(threshold, maxBytes));
  }

  /** Makes one free run by moving only what no open sequence has. */
  CompactionReport makeRun(int blocks) {
    return keeping(holding -> true, () -> pool.movement().makeRun(blocks));
  }

  private CompactionReport keeping(
      Predicate<SequenceBlocks> kept, Supplier<CompactionReport> compaction) {
    return engine.locked(() -> {
      BitSet blocks = new BitSet(pool.blocks());
      engine
          .holdings(partition)
          .filter(kept)
          .forEach(holding -> holding.table.forEach(blocks::set));
      blocks.stream().forEach(pool::pin);
      try {
        return compaction.get();
      } finally {
        blocks.stream().forEach(pool::unpin);
      }
    });
  }

  private void moved(BlockRelocation moves) {
    partition.traffic.compacted += moves.count();
    Map<Integer, Integer> places = HashMap.newHashMap(moves.count());
    for (int i = 0; i < moves.count(); i++) {
      places.put(moves.from(i), moves.to(i));
      partition.cached.moved(moves.from(i), moves.to(i));
    }
    engine
        .holdings(partition)
        .forEach(holding -> holding.table.replaceAll(block -> places.getOrDefault(block, block)));
  }
}

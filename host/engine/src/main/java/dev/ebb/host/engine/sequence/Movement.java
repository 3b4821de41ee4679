package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvPool;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The compaction of one pool: keeps blocks in use in place, and follows those that move. */
public final class Movement {

  private final Engine engine;
  private final DevicePartition partition;
  private final KvPool pool;

  Movement(Engine engine, DevicePartition partition) {
    this.engine = engine;
    this.partition = partition;
    pool = partition.pool;
    pool.movement().onMove(this::moved);
  }

  /**
   * Compacts one slice; only open accesses and migrations cover bytes that are read or written now.
   */
  public CompactionReport betweenBatches(double threshold, long maxBytes) {
    return keeping(SequenceBlocks::inUse, () -> pool.movement().compact(threshold, maxBytes));
  }

  /** Compacts one slice, moving only blocks outside open sequences. */
  public CompactionReport inBackground(double threshold, long maxBytes) {
    return keeping(held -> true, () -> pool.movement().compact(threshold, maxBytes));
  }

  /** Makes one free run, moving only blocks outside open sequences. */
  CompactionReport makeRun(int blocks) {
    return keeping(held -> true, () -> pool.movement().makeRun(blocks));
  }

  private CompactionReport keeping(
      Predicate<SequenceBlocks> kept, Supplier<CompactionReport> compaction) {
    return engine.locked(() -> {
      BitSet blocks = new BitSet(pool.blocks());
      engine
          .sequenceBlocks(partition)
          .filter(kept)
          .forEach(held -> held.table.forEach(blocks::set));
      blocks.stream().forEach(pool::pin);
      try {
        return compaction.get();
      } finally {
        blocks.stream().forEach(pool::unpin);
      }
    });
  }

  private void moved(BlockMoves moves) {
    partition.traffic.compacted += moves.count();
    Map<Integer, Integer> places = HashMap.newHashMap(moves.count());
    for (int i = 0; i < moves.count(); i++) {
      places.put(moves.from(i), moves.to(i));
      partition.cached.moved(moves.from(i), moves.to(i));
    }
    engine
        .sequenceBlocks(partition)
        .forEach(held -> held.table.replaceAll(block -> places.getOrDefault(block, block)));
  }
}

package dev.ebb.host.engine;

import dev.ebb.host.pool.BlockRelocation;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvPool;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import java.util.BitSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Compaction: keeps blocks in use where they are, and follows those that move. */
final class Movement {

  private final Engine engine;

  Movement(Engine engine) {
    this.engine = engine;
    engine.pool.onMove(this::moved);
  }

  /** One slice; nothing is read or written now but what an open access covers. */
  CompactionReport betweenBatches(double threshold, long maxBytes) {
    return keeping(sequence -> sequence.uses > 0, () -> engine.pool.compact(threshold, maxBytes));
  }

  /** One slice that moves only what no open sequence has. */
  CompactionReport inBackground(double threshold, long maxBytes) {
    return keeping(sequence -> true, () -> engine.pool.compact(threshold, maxBytes));
  }

  /** Makes one free run by moving only what no open sequence has. */
  CompactionReport makeRun(int blocks) {
    return keeping(sequence -> true, () -> engine.pool.makeRun(blocks));
  }

  private CompactionReport keeping(
      Predicate<Sequence> inUse, Supplier<CompactionReport> compaction) {
    return engine.locked(() -> {
      BitSet kept = new BitSet(engine.pool.blocks());
      for (Sequence sequence : engine.sequences) {
        if (inUse.test(sequence)) {
          for (int i = 0; i < sequence.table.size(); i++) {
            kept.set(sequence.table.at(i));
          }
        }
      }
      KvPool pool = engine.pool;
      kept.stream().forEach(pool::pin);
      try {
        return compaction.get();
      } finally {
        kept.stream().forEach(pool::unpin);
      }
    });
  }

  private void moved(BlockRelocation moves) {
    Int2IntOpenHashMap places = new Int2IntOpenHashMap(moves.count());
    for (int i = 0; i < moves.count(); i++) {
      places.put(moves.from(i), moves.to(i));
      engine.cached.moved(moves.from(i), moves.to(i));
    }
    for (Sequence sequence : engine.sequences) {
      sequence.table.replaceAll(block -> places.getOrDefault(block, block));
    }
  }
}

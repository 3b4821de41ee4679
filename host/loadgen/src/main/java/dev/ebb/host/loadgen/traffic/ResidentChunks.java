package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.ChunkClient;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.util.List;
import java.util.function.LongPredicate;

/** The chunks that servers have at the end. Thread-safe. */
final class ResidentChunks {

  private final Long2LongMap before;
  private final LongPredicate local;
  private final LongOpenHashSet resident = new LongOpenHashSet();
  private final LongOpenHashSet split = new LongOpenHashSet();
  private final LongOpenHashSet reachable = new LongOpenHashSet();

  /**
   * Counts chunks.
   *
   * @param before the chunk before each one; itself for the first of a prompt; not to be changed
   * @param local whether an engine has a chunk in its own memory
   */
  ResidentChunks(Long2LongMap before, LongPredicate local) {
    this.before = before;
    this.local = local;
  }

  /**
   * Asks a server.
   *
   * @param ids chunks of its requests, predecessors first
   */
  void add(List<ChunkClient> engine, long[] ids) throws IOException {
    LongOpenHashSet here = new LongOpenHashSet();
    int[] values = new int[ids.length];
    for (ChunkClient rank : engine) {
      long[] lengths = rank.lengths(ids);
      for (int i = 0; i < ids.length; i++) {
        values[i] += lengths[i] > 0 ? 1 : 0;
      }
    }
    for (int i = 0; i < ids.length; i++) {
      add(ids[i], values[i], engine.size(), here);
    }
    synchronized (this) {
      reachable.addAll(here);
    }
  }

  private synchronized void add(long id, int values, int ranks, LongOpenHashSet reachableHere) {
    if (values == ranks) {
      resident.add(id);
    } else if (values > 0) {
      split.add(id);
    }
    long previous = before.get(id);
    if ((values == ranks || local.test(id))
        && (previous == id || reachableHere.contains(previous))) {
      reachableHere.add(id);
    }
  }

  /** Returns the chunks of which a server has the values of all ranks. */
  synchronized long resident() {
    return resident.size();
  }

  /** Returns the chunks of which servers have the values of some ranks only. */
  synchronized long split() {
    return split.longStream().filter(id -> !resident.contains(id)).count();
  }

  /** Returns the resident chunks with a predecessor that neither their server nor an engine has. */
  synchronized long unreachable() {
    return resident.longStream().filter(id -> !reachable.contains(id)).count();
  }
}

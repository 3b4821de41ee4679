package dev.ebb.host.optimum;

import dev.ebb.host.trace.DecodedTrace;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;

/**
 * A trace with each reference's next reference to the same block: the input of an optimum. Computed
 * once, shared by every capacity and thread; 4 bytes a reference.
 *
 * <p>References count from 0 through all requests, front to back.
 */
public final class FutureUses {

  /** The next use of a block that is not used again. */
  static final int NEVER = Integer.MAX_VALUE;

  private final DecodedTrace trace;
  private final int[] next;

  /** Computes the next use of every reference of a trace. */
  public FutureUses(DecodedTrace trace) {
    this.trace = trace;
    this.next = new int[trace.references()];
    Long2IntOpenHashMap upcoming = new Long2IntOpenHashMap();
    upcoming.defaultReturnValue(NEVER);
    long[] ids = trace.ids();
    for (int reference = next.length - 1; reference >= 0; reference--) {
      next[reference] = upcoming.put(ids[reference], reference);
    }
  }

  DecodedTrace trace() {
    return trace;
  }

  /** Returns the next reference to the block that a reference is to; -1 if there is none. */
  public int nextUse(int reference) {
    return next[reference] == NEVER ? -1 : next[reference];
  }

  /** Returns the next reference to the block that a reference is to, or {@link #NEVER}. */
  int next(int reference) {
    return next[reference];
  }
}

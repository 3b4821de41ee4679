package dev.ebb.host.optimum;

import dev.ebb.host.trace.DecodedTrace;

/**
 * Belady's optimum of the object model. Each id is an object of size one, referred to front to
 * back. A miss inserts, and if that needs room, it evicts the object with the farthest next use.
 *
 * <p>L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
 * Journal 5(2), 1966.
 */
public final class BeladyOptimum {

  private BeladyOptimum() {}

  /**
   * Computes the optimum. O(references), with a factor of at most six.
   *
   * @param uses the trace with its next uses
   * @param capacityBlocks objects the cache can hold, 1 or more
   * @return hits and hit tokens, a request's hit tokens being at most its input tokens
   */
  public static Optimum of(FutureUses uses, long capacityBlocks, long blockTokens) {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException(
          "capacity is '%d' blocks, must be at least 1".formatted(capacityBlocks));
    }
    DecodedTrace trace = uses.trace();
    ReferenceSet upcoming = new ReferenceSet(trace.references());
    long useless = 0;
    long hitBlocks = 0;
    long hitTokens = 0;
    for (int request = 0; request < trace.requests(); request++) {
      long hits = 0;
      for (int reference = trace.start(request);
          reference < trace.start(request + 1);
          reference++) {
        if (upcoming.remove(reference)) {
          hits++;
        } else if (upcoming.size() + useless >= capacityBlocks) {
          if (useless > 0) {
            useless--;
          } else {
            upcoming.remove(upcoming.largest());
          }
        }
        int next = uses.next(reference);
        if (next == FutureUses.NEVER) {
          useless++;
        } else {
          upcoming.add(next);
        }
      }
      hitBlocks += hits;
      hitTokens += Math.min(hits * blockTokens, trace.inputTokens(request));
    }
    return new Optimum(
        capacityBlocks, trace.references(), hitBlocks, trace.requestTokens(), hitTokens);
  }
}

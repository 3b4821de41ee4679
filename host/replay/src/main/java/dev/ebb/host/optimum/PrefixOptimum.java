package dev.ebb.host.optimum;

import dev.ebb.host.trace.DecodedTrace;

/**
 * OPT_PREFIX, the bound of every policy on prefix hits: offline, admission optional. A request hits
 * its leading resident blocks. After it, those of the resident blocks and its own with the nearest
 * next use stay.
 *
 * <p>This is the rule of L. A. Belady, "A study of replacement algorithms for a virtual-storage
 * computer" (IBM Systems Journal 5(2), 1966), with whole requests as the unit of time. Of blocks
 * next used by the same request, the deeper are evicted first. A block is used whenever one behind
 * it is, so the cache always holds whole prefixes.
 */
public final class PrefixOptimum {

  private PrefixOptimum() {}

  /**
   * Computes the optimum. O(references), with a factor of at most six.
   *
   * @param uses the trace with its next uses
   * @param capacityBlocks blocks the cache can hold, 0 or more
   * @return how many block references are prefix hits
   */
  public static long hits(FutureUses uses, long capacityBlocks) {
    DecodedTrace trace = uses.trace();
    // A resident block is stored as its next use, so that the nearest uses are the smallest
    // members.
    ReferenceSet resident = new ReferenceSet(trace.references());
    long hits = 0;
    for (int request = 0; request < trace.requests(); request++) {
      int from = trace.start(request);
      int to = trace.start(request + 1);
      hits += leadingResident(uses, resident, from, to);
      keepNearest(uses, resident, from, to, capacityBlocks);
    }
    return hits;
  }

  private static int leadingResident(FutureUses uses, ReferenceSet resident, int from, int to) {
    int reference = from;
    while (reference < to && resident.contains(reference)) {
      int next = uses.next(reference);
      if (next < to) {
        resident.add(next);
      }
      reference++;
    }
    return reference - from;
  }

  private static void keepNearest(
      FutureUses uses, ReferenceSet resident, int from, int to, long capacityBlocks) {
    for (int reference = from; reference < to; reference++) {
      resident.remove(reference);
    }
    for (int reference = from; reference < to; reference++) {
      int next = uses.next(reference);
      if (next >= to && next != FutureUses.NEVER) {
        resident.add(next);
      }
    }
    while (resident.size() > capacityBlocks) {
      resident.remove(resident.largest());
    }
  }
}

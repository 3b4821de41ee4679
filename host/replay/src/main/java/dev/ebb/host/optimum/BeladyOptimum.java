package dev.ebb.host.optimum;

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
   * @return how many references are hits
   */
  public static long hits(FutureUses uses, long capacityBlocks) {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException(
          "capacity is '%d' blocks, must be at least 1".formatted(capacityBlocks));
    }
    int references = uses.trace().references();
    ReferenceSet upcoming = new ReferenceSet(references);
    long useless = 0;
    long hits = 0;
    for (int reference = 0; reference < references; reference++) {
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
    return hits;
  }
}

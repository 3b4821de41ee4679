package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

/**
 * What a candidate made of the sample since counting began, beside what the live cache made of the
 * same accesses. Written by one thread; a copy may be read by others.
 */
final class Counts {

  /** All accesses of the while, sampled or not, those that hit, and what the hits weigh. */
  long accesses;

  long hits;
  long hitBlocks;

  long sampled;

  /** Hits of the live cache and of the candidate there. */
  long liveHits;

  long ownHits;
  long liveHitBlocks;
  long ownHitBlocks;

  /** The same in each group, whose candidate has a cache of its own. */
  final long[] groupLiveHits = new long[GROUPS];

  final long[] groupOwnHits = new long[GROUPS];

  Counts copy() {
    Counts copy = new Counts();
    copy.accesses = accesses;
    copy.hits = hits;
    copy.hitBlocks = hitBlocks;
    copy.sampled = sampled;
    copy.liveHits = liveHits;
    copy.ownHits = ownHits;
    copy.liveHitBlocks = liveHitBlocks;
    copy.ownHitBlocks = ownHitBlocks;
    System.arraycopy(groupLiveHits, 0, copy.groupLiveHits, 0, GROUPS);
    System.arraycopy(groupOwnHits, 0, copy.groupOwnHits, 0, GROUPS);
    return copy;
  }
}

package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

/**
 * The hits of a shadow policy on the sample since counting began, next to the live cache's hits on
 * the same accesses. One thread writes; other threads may read a copy.
 */
final class Counts {

  /** All accesses of the period, sampled or not. */
  long accesses;

  long hits;
  long hitBlocks;

  /** The accesses by requests, whose hits count only behind others. */
  long prefixAccesses;

  long prefixHits;

  /** The same on the sample, of the live cache and of the shadow policy. */
  long livePrefixHits;

  long ownPrefixHits;

  long sampled;

  /** Whole prompts were sampled: their share of all accesses may differ from the rate. */
  boolean prompts;

  /** Hits of the live cache on the sample. */
  long liveHits;

  long ownHits;
  long liveHitBlocks;
  long ownHitBlocks;

  /** The same for each group, which has its own simulated cache. */
  final long[] groupLiveHits = new long[GROUPS];

  final long[] groupOwnHits = new long[GROUPS];

  Counts copy() {
    Counts copy = new Counts();
    copy.accesses = accesses;
    copy.hits = hits;
    copy.hitBlocks = hitBlocks;
    copy.prefixAccesses = prefixAccesses;
    copy.prefixHits = prefixHits;
    copy.livePrefixHits = livePrefixHits;
    copy.ownPrefixHits = ownPrefixHits;
    copy.sampled = sampled;
    copy.prompts = prompts;
    copy.liveHits = liveHits;
    copy.ownHits = ownHits;
    copy.liveHitBlocks = liveHitBlocks;
    copy.ownHitBlocks = ownHitBlocks;
    System.arraycopy(groupLiveHits, 0, copy.groupLiveHits, 0, GROUPS);
    System.arraycopy(groupOwnHits, 0, copy.groupOwnHits, 0, GROUPS);
    return copy;
  }
}

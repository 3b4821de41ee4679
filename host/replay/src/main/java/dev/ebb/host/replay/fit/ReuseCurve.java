package dev.ebb.host.replay.fit;

import java.util.Arrays;

/**
 * The reuse distances of all block references of a trace. They give the hits of an LRU cache of any
 * size (R. L. Mattson et al., "Evaluation Techniques for Storage Hierarchies", 1970).
 */
public final class ReuseCurve {

  private long[] hits = new long[1 << 10];
  private long references;
  private long distinctBlocks;

  ReuseCurve() {}

  void addReuse(long distance) {
    int at = Math.toIntExact(distance);
    if (at >= hits.length) {
      hits = Arrays.copyOf(hits, Math.max(at + 1, hits.length + (hits.length >> 1)));
    }
    hits[at]++;
    references++;
  }

  void addNew(long blocks) {
    references += blocks;
    distinctBlocks += blocks;
  }

  /** Adds up the hits by distance; nothing may be added after. */
  void finish() {
    Arrays.parallelPrefix(hits, Long::sum);
  }

  public long references() {
    return references;
  }

  /** Returns how many different blocks there are. */
  public long distinctBlocks() {
    return distinctBlocks;
  }

  /** Returns the share of the references that hit in an LRU cache of this many blocks. */
  public double hitRatio(long capacityBlocks) {
    return (double) hits(capacityBlocks) / references;
  }

  /** Returns the share of the reuses at this distance or a shorter one. */
  public double shareOfReuses(long distance) {
    return (double) hits(distance) / (references - distinctBlocks);
  }

  private long hits(long distance) {
    return hits[(int) Math.min(distance, hits.length - 1)];
  }
}

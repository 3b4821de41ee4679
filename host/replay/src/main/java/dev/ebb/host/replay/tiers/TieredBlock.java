package dev.ebb.host.replay.tiers;

import org.jspecify.annotations.Nullable;

/** What the tiers know of a block, beside its entry in the directory. */
final class TieredBlock {

  /** The requests that used it since it is in a tier. */
  int uses;

  /** The length of the last answer; -1 if unknown. */
  long outputTokens;

  boolean inMemory;
  boolean onDisk;

  /** Where it is on the disk, if that has regions. */
  @Nullable DiskRegion region;

  private int usesWhenWritten;

  /** Makes it a block that is in no tier. */
  void reset() {
    uses = 0;
    inMemory = false;
    onDisk = false;
    region = null;
  }

  /** Records that it is written to a region. */
  void written(DiskRegion to) {
    region = to;
    usesWhenWritten = uses;
  }

  boolean usedSinceWritten() {
    return uses > usesWhenWritten;
  }
}

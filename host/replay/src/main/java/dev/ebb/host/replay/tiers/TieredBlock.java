package dev.ebb.host.replay.tiers;

import org.jspecify.annotations.Nullable;

/** What the tiers know of a block, beside its entry in the directory. */
final class TieredBlock {

  /** The requests that used it, as far as its key is remembered. */
  int uses;

  /** Its last use: {@link UseProfile}, and the number of the request. */
  int profile;

  long request;

  boolean inMemory;
  boolean onDisk;

  /** Where it is on the disk, if that has regions. */
  @Nullable DiskRegion region;

  private int usesWhenWritten;

  /** Makes it a block that is in no tier. */
  void reset(int usesBefore) {
    uses = usesBefore;
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

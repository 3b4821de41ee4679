package dev.ebb.host.replay.tiers;

/** What the tiers know of a block, beside its entry in the directory. */
final class TieredBlock {

  /** The requests that used it, as far as its key is remembered. */
  int uses;

  /** Its last use: {@link UseProfile}. */
  int profile;

  boolean onDisk;

  /** Makes it a block that is in memory only. */
  void reset(int usesBefore) {
    uses = usesBefore;
    onDisk = false;
  }
}

package dev.ebb.host.replay.tiers;

/** Decides which of the blocks that memory evicts are written to the disk. */
interface DiskAdmission {

  /** Returns whether a block is written. */
  boolean admits(TieredBlock block);

  /** Reports that a block is written, if only because blocks behind it are on the disk. */
  default void written() {}

  /**
   * Reports that a block which was decided on is requested again.
   *
   * @param profile the {@link UseProfile} that it had then
   */
  default void requestedAgain(int profile) {}
}

package dev.ebb.host.kvevents;

import dev.ebb.host.group.ObjectGroup;
import org.jspecify.annotations.Nullable;

/** An event as it is published. */
sealed interface BlockEvent {

  int[] NO_TOKENS = {};

  /**
   * Stored blocks, each the parent of the next.
   *
   * @param parent the hash of the block before the first; null for none
   * @param tokens those of all blocks; empty if they are not known
   * @param blockTokens the tokens of one block; 0 if they are not known
   * @param adapter the LoRA adapter; empty for none
   * @param salt the salt that routers hash; empty for none
   * @param extraKeys the engine's extra keys of each block in MessagePack; empty for none
   * @param group the number of the object group, or {@link KvEvent#ONLY_GROUP}
   * @param disk whether they are on the disk
   */
  // The arrays are made for the event.
  @SuppressWarnings("ArrayRecordComponent")
  record Stored(
      long[] hashes,
      @Nullable Long parent,
      int[] tokens,
      int blockTokens,
      String adapter,
      String salt,
      byte[][] extraKeys,
      int group,
      ObjectGroup.@Nullable Kind kind,
      boolean disk)
      implements BlockEvent {

    /** Returns a block whose tokens are not known. */
    static Stored bare(
        long hash,
        @Nullable Long parent,
        int group,
        ObjectGroup.@Nullable Kind kind,
        boolean disk) {
      return new Stored(
          new long[] {hash}, parent, NO_TOKENS, 0, "", "", new byte[0][], group, kind, disk);
    }
  }

  /** Removed blocks. */
  @SuppressWarnings("ArrayRecordComponent")
  record Removed(long[] hashes, int group, boolean disk) implements BlockEvent {}

  record Cleared() implements BlockEvent {}
}

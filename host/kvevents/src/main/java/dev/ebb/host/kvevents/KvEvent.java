package dev.ebb.host.kvevents;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.StatedTokens;
import org.jspecify.annotations.Nullable;

/** An event that waits to be published. Keys are hashed later, by the publisher's thread. */
sealed interface KvEvent {

  /** See {@link KeyListener#ONLY_GROUP}. */
  int ONLY_GROUP = KeyListener.ONLY_GROUP;

  /**
   * A stored object.
   *
   * @param group the number of its object group, or {@link #ONLY_GROUP}
   * @param kind the kind of the group; null if unknown
   */
  // The array is the key itself; a copy for each event would be waste.
  @SuppressWarnings("ArrayRecordComponent")
  record Stored(byte[] key, byte @Nullable [] parent, int group, ObjectGroup.@Nullable Kind kind)
      implements KvEvent {}

  /**
   * A removed object.
   *
   * @param group the number of its object group, or {@link #ONLY_GROUP}
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Removed(byte[] key, int group) implements KvEvent {}

  /** A value on the disk, by its hash and the chunk of its key. */
  record OnDisk(ChunkId chunk, int group) implements KvEvent {}

  /** A value that is not on the disk any more. */
  record OffDisk(ChunkId chunk, int group) implements KvEvent {}

  /**
   * A cached block of sequences.
   *
   * @param block its tokens; null if they are not known
   */
  record PageStored(long id, @Nullable Long parent, @Nullable TokenBlock block)
      implements KvEvent {}

  /** A block of sequences that is not in memory any more. */
  record PageRemoved(long id) implements KvEvent {}

  /** The tokens of a request. */
  record Stated(StatedTokens tokens) implements KvEvent {}

  /** The tokens of a chunk that was published without them have become known. */
  record Known(long hash) implements KvEvent {}

  record Cleared() implements KvEvent {}

  /** Stands for events that were dropped because the queue was full. */
  record Lost() implements KvEvent {}
}

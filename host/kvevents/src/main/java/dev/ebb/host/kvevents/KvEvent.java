package dev.ebb.host.kvevents;

import org.jspecify.annotations.Nullable;

/** An event that waits to be published. Keys are hashed later, by the publisher's thread. */
sealed interface KvEvent {

  // The array is the key itself; a copy for each event would be waste.
  @SuppressWarnings("ArrayRecordComponent")
  record Stored(byte[] key, byte @Nullable [] parent) implements KvEvent {}

  @SuppressWarnings("ArrayRecordComponent")
  record Removed(byte[] key) implements KvEvent {}

  record Cleared() implements KvEvent {}

  /** Stands for events that were dropped because the queue was full. */
  record Lost() implements KvEvent {}
}

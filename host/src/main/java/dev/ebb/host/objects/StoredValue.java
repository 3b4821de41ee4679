package dev.ebb.host.objects;

import dev.ebb.host.cache.CacheEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A value that is visible, or was and is still being read. Guarded by its partition's lock. */
final class StoredValue {

  static final long NEVER = Long.MAX_VALUE;

  final ObjectKey key;
  final long length;
  final int units;
  final StoredBytes bytes;

  /** Null once the value has left. */
  @Nullable CacheEntry entry;

  EntryState state = EntryState.ACTIVE;

  int readers;

  /** Operators' pins; empty for nearly all values. */
  List<PinNote> pins = List.of();

  /** Wall-clock milliseconds. */
  long expiresAt = NEVER;

  /** When the expiry queue looks at it next; other notes in the queue are out of date. */
  long dueAt = NEVER;

  /** Who pinned it, since when and until when, in wall-clock milliseconds. */
  record PinNote(String owner, long since, long expiresAt) {}

  StoredValue(ObjectKey key, long length, int units, StoredBytes bytes) {
    this.key = key;
    this.length = length;
    this.units = units;
    this.bytes = bytes;
  }
}

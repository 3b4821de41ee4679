package dev.ebb.host.objects;

import dev.ebb.host.cache.CacheEntry;
import org.jspecify.annotations.Nullable;

/** A value that is visible, or was and is still being read. Guarded by the store's lock. */
final class StoredValue {

  static final long NEVER = Long.MAX_VALUE;

  final ObjectKey key;
  final long length;
  final int units;
  final StoredBytes bytes;

  /** Null once the value has left. */
  @Nullable CacheEntry entry;

  int readers;

  /** Wall-clock milliseconds. */
  long expiresAt = NEVER;

  /** When the expiry queue looks at it next; other notes in the queue are out of date. */
  long dueAt = NEVER;

  StoredValue(ObjectKey key, long length, int units, StoredBytes bytes) {
    this.key = key;
    this.length = length;
    this.units = units;
    this.bytes = bytes;
  }
}

package dev.ebb.host.store;

import dev.ebb.host.cache.CacheEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value that is visible, or was and is still being read. Guarded by its partition's lock.
 *
 * <p>The small second value of an engine's chunk is an attachment of the first: it has no entry,
 * takes no memory of the pool, and is removed with its owner.
 */
final class StoredValue {

  static final long NEVER = Long.MAX_VALUE;

  final ObjectKey key;
  final long length;
  final int units;
  final StoredBytes bytes;
  final KeyLabels labels;

  /** Null once the value has been removed, and for an attachment. */
  @Nullable CacheEntry entry;

  @Nullable StoredValue attachment;

  /** The owner of an attachment that has not been removed. */
  @Nullable StoredValue owner;

  EntryState state = EntryState.ACTIVE;

  int readers;

  /** Operators' pins; empty for nearly all values. */
  List<PinNote> pins = List.of();

  /** Wall-clock milliseconds. */
  long expiresAt = NEVER;

  /** Its note in the expiry queue; null if it has none. */
  Expirations.@Nullable Note note;

  /** The owner of a pin, its start and its end, in wall-clock milliseconds. */
  record PinNote(String owner, long since, long expiresAt) {}

  StoredValue(ObjectKey key, long length, int units, StoredBytes bytes, KeyLabels labels) {
    this.key = key;
    this.length = length;
    this.units = units;
    this.bytes = bytes;
    this.labels = labels;
  }

  /** Returns whether it has not been removed. */
  boolean there() {
    return entry != null || owner != null;
  }

  /** Returns the unit of caching and eviction: the value itself, or the owner of an attachment. */
  StoredValue whole() {
    return owner == null ? this : owner;
  }
}

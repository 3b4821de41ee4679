package dev.ebb.host.store;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.store.value.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * A value that the policy evicts.
 *
 * @param mainKey its key; that of the bytes of a chunk, not of its metadata
 * @param group its object group; 0 if its key names none
 * @param parent the key of the same worker's value of the chunk before it; null if there is none,
 *     or it is not known
 * @param uses how often it was used, 1 if only stored
 * @param depth how many chunks precede it in its prompt
 * @param childrenSeen how many chunks have followed it, in different prompts
 * @param lastUse the time of its last use, by the clock of intervals
 */
@SuppressWarnings("ArrayRecordComponent")
public record EvictedValue(
    byte[] mainKey,
    long bytes,
    int group,
    byte @Nullable [] parent,
    int uses,
    int depth,
    int childrenSeen,
    long lastUse) {

  static EvictedValue of(StoredValue value, CacheEntry entry, byte @Nullable [] parent) {
    return new EvictedValue(
        value.key.bytes(),
        value.length,
        value.key.labels().group(),
        parent,
        entry.accesses(),
        entry.depth(),
        entry.childrenSeen(),
        entry.lastAccessNanos());
  }
}

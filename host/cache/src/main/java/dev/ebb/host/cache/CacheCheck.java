package dev.ebb.host.cache;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import org.jspecify.annotations.Nullable;

/**
 * Compares the records of a cache with each other. They never contradict each other, unless code in
 * the same process has changed them by reflection. Under the owner's lock.
 */
final class CacheCheck {

  private final CacheState state;

  CacheCheck(CacheState state) {
    this.state = state;
  }

  /** Checks the entries of some slots. Returns the first contradiction; null if there is none. */
  @Nullable String entries(int from, int to) {
    for (int slot = from; slot < Math.min(to, state.slots.used()); slot++) {
      CacheEntry entry = state.slots.at(slot);
      String wrong = entry == null || !entry.resident ? null : wrong(entry, slot);
      if (wrong != null) {
        return "the entry in slot %d %s".formatted(slot, wrong);
      }
    }
    return null;
  }

  private @Nullable String wrong(CacheEntry entry, int slot) {
    if (entry.slot != slot) {
      return "has slot %d".formatted(entry.slot);
    }
    if (state.index.find(entry.keyLow, entry.keyHigh) != entry) {
      return "is not in the index under its key";
    }
    if (entry.blocks < 1 || entry.references < 0 || entry.children < 0 || entry.depth < 0) {
      return "has %d blocks, %d references, %d children and depth %d"
          .formatted(entry.blocks, entry.references, entry.children, entry.depth);
    }
    if (isMissing(entry.lastUse)) {
      return "has no last use";
    }
    CacheEntry parent = entry.parent;
    return parent == null ? null : wrongParent(entry, parent);
  }

  // Null only if it was set by reflection.
  private static boolean isMissing(@Nullable Object field) {
    return field == null;
  }

  private @Nullable String wrongParent(CacheEntry entry, CacheEntry parent) {
    if (!parent.resident || !state.slots.owns(parent)) {
      return "has a parent that is not resident";
    }
    return parent.children < 1 || (entry.references > 0 && parent.references < 1)
        ? "has a parent with %d children and %d references"
            .formatted(parent.children, parent.references)
        : null;
  }

  /**
   * Compares the sums over all entries with the counters of the cache. Takes a time that grows with
   * the number of entries. Returns the first contradiction; null if there is none.
   */
  @Nullable String sums() {
    int entries = 0;
    long blocks = 0;
    long evictable = 0;
    for (int slot = 0; slot < state.slots.used(); slot++) {
      CacheEntry entry = state.slots.at(slot);
      if (entry != null && entry.resident) {
        entries++;
        blocks += entry.blocks;
        evictable += entry.references == 0 ? entry.blocks : 0;
      }
    }
    return entries == state.index.size()
            && blocks == state.resident()
            && evictable == state.evictable()
        ? null
        : "%d entries with %d blocks, %d of them evictable, are counted as %d with %d and %d"
            .formatted(
                entries,
                blocks,
                evictable,
                state.index.size(),
                state.resident(),
                state.evictable());
  }
}

package dev.ebb.host.cache;

import org.jspecify.annotations.Nullable;

/**
 * The fallback while no policy answers: of a few random residents, it evicts the one used longest
 * ago. It has no state and so needs no hand-over.
 */
final class SampledLru {

  private static final int SAMPLE = 16;

  private final SlotTable slots;
  private long state = 0x9E3779B97F4A7C15L;

  SampledLru(SlotTable slots) {
    this.slots = slots;
  }

  /** Returns an evictable entry; null if there is none. */
  @Nullable CacheEntry victim() {
    int used = slots.used();
    if (used == 0) {
      return null;
    }
    CacheEntry oldest = null;
    int start = 0;
    for (int i = 0; i < SAMPLE; i++) {
      start = random(used);
      CacheEntry entry = evictableAt(start);
      if (entry != null && (oldest == null || entry.lastTick < oldest.lastTick)) {
        oldest = entry;
      }
    }
    return oldest != null ? oldest : next(start, used);
  }

  /** If few entries are evictable, a sample finds none. */
  private @Nullable CacheEntry next(int start, int used) {
    CacheEntry entry = null;
    for (int i = 0; i < used && entry == null; i++) {
      entry = evictableAt((int) (((long) start + i) % used));
    }
    return entry;
  }

  /** Returns the entry in a slot if it can be evicted. */
  private @Nullable CacheEntry evictableAt(int slot) {
    CacheEntry entry = slots.at(slot);
    return entry != null && entry.resident && entry.announced && entry.evictable() ? entry : null;
  }

  private int random(int bound) {
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    return (int) ((state >>> 33) % bound);
  }
}

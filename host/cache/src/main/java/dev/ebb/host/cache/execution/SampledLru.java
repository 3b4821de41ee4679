package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.SlotTable;
import org.jspecify.annotations.Nullable;

/**
 * The fallback while no policy answers: of a few random residents, it evicts the one used longest
 * ago. It has no state and so needs no hand-over. It looks at more residents if all of them are
 * protected from the request.
 */
final class SampledLru {

  private static final int SAMPLE = 16;

  /** Residents to look at before it evicts a protected one. */
  private static final int LARGEST_SAMPLE = 256;

  private final CacheState cache;
  private final SlotTable slots;
  private long state = 0x9E3779B97F4A7C15L;

  SampledLru(CacheState cache) {
    this.cache = cache;
    slots = cache.slots;
  }

  /** Returns an evictable entry; null if there is none. Entries above the level are last. */
  @Nullable CacheEntry victim(int level) {
    int used = slots.used();
    if (used == 0) {
      return null;
    }
    CacheEntry best = null;
    boolean bestProtected = true;
    int start = 0;
    for (int i = 0; i < SAMPLE || (i < LARGEST_SAMPLE && best != null && bestProtected); i++) {
      start = random(used);
      CacheEntry entry = evictableAt(start);
      if (entry != null) {
        boolean isProtected = cache.protects(entry, level);
        if (best == null
            || (isProtected == bestProtected ? entry.lastTick < best.lastTick : bestProtected)) {
          best = entry;
          bestProtected = isProtected;
        }
      }
    }
    return best != null ? best : next(start, used);
  }

  /** If few entries are evictable, a sample finds none. */
  private @Nullable CacheEntry next(int start, int used) {
    CacheEntry entry = null;
    for (int i = 0; i < used && entry == null; i++) {
      entry = evictableAt((int) (((long) start + i) % used));
    }
    return entry;
  }

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

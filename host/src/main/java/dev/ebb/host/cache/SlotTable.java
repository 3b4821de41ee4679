package dev.ebb.host.cache;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives each resident entry a small number, dense and recycled, newest free number first. */
final class SlotTable {

  private @Nullable CacheEntry[] entries = new CacheEntry[64];
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  void take(CacheEntry entry) {
    int slot;
    if (freeCount > 0) {
      slot = free[--freeCount];
    } else {
      slot = used++;
      if (slot == entries.length) {
        entries = Arrays.copyOf(entries, slot * 2);
      }
    }
    entries[slot] = entry;
    entry.slot = slot;
  }

  void giveBack(CacheEntry entry) {
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = entry.slot;
    entries[entry.slot] = null;
    entry.slot = CacheEntry.GONE;
  }

  /** Whether this very object is resident in this cache. */
  boolean holds(CacheEntry entry) {
    int slot = entry.slot;
    return slot >= 0 && slot < used && entries[slot] == entry;
  }

  void forEach(Consumer<CacheEntry> action) {
    for (int slot = 0; slot < used; slot++) {
      CacheEntry entry = entries[slot];
      if (entry != null) {
        action.accept(entry);
      }
    }
  }
}

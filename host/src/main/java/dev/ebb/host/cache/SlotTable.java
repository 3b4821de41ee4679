package dev.ebb.host.cache;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The residents, each with a small number, dense and recycled, newest free number first. A slot
 * that falls free keeps its entry object for the next resident, up to a bound.
 */
final class SlotTable {

  /** More than a request admits, so that a full cache does without new objects. */
  private static final int KEPT = 1_024;

  private @Nullable CacheEntry[] entries = new CacheEntry[64];
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  /** An entry to be filled, with its slot. */
  CacheEntry take() {
    int slot;
    if (freeCount > 0) {
      slot = free[--freeCount];
    } else {
      slot = used++;
      if (slot == entries.length) {
        entries = Arrays.copyOf(entries, slot * 2);
      }
    }
    CacheEntry entry = entries[slot];
    if (entry == null) {
      entry = new CacheEntry();
      entries[slot] = entry;
    }
    entry.slot = slot;
    return entry;
  }

  void giveBack(CacheEntry entry) {
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    if (freeCount >= KEPT) {
      entries[entry.slot] = null;
    }
    free[freeCount++] = entry.slot;
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
      if (entry != null && entry.resident()) {
        action.accept(entry);
      }
    }
  }
}

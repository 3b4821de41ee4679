package dev.ebb.host.cache.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The residents, each with a small number, dense and recycled, newest free number first. A slot
 * that falls free keeps its entry object for the next resident, up to a bound.
 */
public final class SlotTable {

  /** More than a request admits, so that a full cache does without new objects. */
  private static final int KEPT = 1_024;

  private @Nullable CacheEntry[] entries = new CacheEntry[64];

  /** A bit by slot: whether its entry is resident and published. */
  private long[] published = new long[1];

  private int publishedCount;
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  /** Returns an entry to be filled, with its slot. */
  public CacheEntry take() {
    int slot;
    if (freeCount > 0) {
      slot = free[--freeCount];
    } else {
      slot = used++;
      if (slot == entries.length) {
        entries = Arrays.copyOf(entries, slot * 2);
        published = Arrays.copyOf(published, entries.length / Long.SIZE);
      }
    }
    CacheEntry entry = entries[slot];
    if (entry == null) {
      entry = new CacheEntry();
      entries[slot] = entry;
    }
    entry.slot = slot;
    entry.resident = true;
    return entry;
  }

  void publish(CacheEntry entry) {
    entry.announced = true;
    entry.filled = true;
    published[entry.slot >>> 6] |= 1L << entry.slot;
    publishedCount++;
  }

  /** Ends an entry's life; the slot stays its own until {@link #giveBack}. */
  void remove(CacheEntry entry) {
    entry.resident = false;
    long bit = 1L << entry.slot;
    if ((published[entry.slot >>> 6] & bit) != 0) {
      published[entry.slot >>> 6] &= ~bit;
      publishedCount--;
    }
  }

  /** Recycles the slot and object of a removed entry. */
  public void giveBack(CacheEntry entry) {
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    if (freeCount >= KEPT) {
      entries[entry.slot] = null;
    }
    free[freeCount++] = entry.slot;
    entry.slot = CacheEntry.GONE;
  }

  public boolean owns(CacheEntry entry) {
    int slot = entry.slot;
    return slot >= 0 && slot < used && entries[slot] == entry;
  }

  public int publishedCount() {
    return publishedCount;
  }

  public int used() {
    return used;
  }

  /** Returns the object of a slot below {@link #used}; not necessarily resident. */
  public @Nullable CacheEntry at(int slot) {
    return entries[slot];
  }

  /** Returns the published residents, at the price of copying two arrays. */
  public ResidentSnapshot snapshot() {
    return new ResidentSnapshot(
        Arrays.copyOf(entries, used),
        Arrays.copyOf(published, Math.ceilDiv(used, Long.SIZE)),
        publishedCount);
  }
}

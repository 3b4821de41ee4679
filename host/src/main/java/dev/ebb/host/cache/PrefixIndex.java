package dev.ebb.host.cache;

import org.jspecify.annotations.Nullable;

/**
 * Finds entries by 128-bit key: open addressing with linear probing, removal by shifting back, at
 * most two thirds full. The lower halves of the keys stand in an array of their own, so that a miss
 * seldom touches an entry.
 */
final class PrefixIndex {

  private static final int SMALLEST = 64;

  private long[] lows = new long[SMALLEST];
  private @Nullable CacheEntry[] entries = new CacheEntry[SMALLEST];
  private int mask = SMALLEST - 1;
  private int size;

  int size() {
    return size;
  }

  @Nullable CacheEntry find(long low, long high) {
    int index = home(low);
    while (true) {
      if (lows[index] == low) {
        CacheEntry entry = entries[index];
        if (entry == null) {
          return null;
        }
        if (entry.keyHigh == high) {
          return entry;
        }
      } else if (lows[index] == 0 && entries[index] == null) {
        return null;
      }
      index = (index + 1) & mask;
    }
  }

  /** Adds an entry whose key is not present. */
  void add(CacheEntry entry) {
    if (2 * (size + 1) > entries.length) {
      grow();
    }
    place(entry);
    size++;
  }

  void remove(CacheEntry entry) {
    int hole = home(entry.keyLow);
    while (entries[hole] != entry) {
      hole = (hole + 1) & mask;
    }
    int index = hole;
    while (true) {
      index = (index + 1) & mask;
      CacheEntry next = entries[index];
      if (next == null) {
        break;
      }
      // An entry may move back into the hole only if its home does not lie between hole and itself.
      long low = lows[index];
      if (((index - home(low)) & mask) >= ((index - hole) & mask)) {
        entries[hole] = next;
        lows[hole] = low;
        hole = index;
      }
    }
    entries[hole] = null;
    lows[hole] = 0;
    size--;
  }

  private void place(CacheEntry entry) {
    int index = home(entry.keyLow);
    while (entries[index] != null) {
      index = (index + 1) & mask;
    }
    entries[index] = entry;
    lows[index] = entry.keyLow;
  }

  private void grow() {
    @Nullable CacheEntry[] old = entries;
    entries = new CacheEntry[old.length * 2];
    lows = new long[old.length * 2];
    mask = entries.length - 1;
    for (CacheEntry entry : old) {
      if (entry != null) {
        place(entry);
      }
    }
  }

  // Keys come from outside and may be badly mixed, so the multiplication is not a luxury.
  private int home(long low) {
    return (int) ((low * 0x9E3779B97F4A7C15L) >>> 32) & mask;
  }
}

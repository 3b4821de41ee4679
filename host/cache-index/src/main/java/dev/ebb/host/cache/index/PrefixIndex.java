package dev.ebb.host.cache.index;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds entries by 128-bit key: open addressing with linear probing, removal by shifting back, at
 * most half full. Hashes of the keys are in an array of their own. So a miss seldom touches an
 * entry, and a removal touches only its own.
 */
public final class PrefixIndex {

  private static final int SMALLEST_BITS = 6;

  /** By cell: the upper half of the key's mixed lower half, its last bit set; 0 if empty. */
  private int[] hashes = new int[1 << SMALLEST_BITS];

  private @Nullable CacheEntry[] entries = new CacheEntry[1 << SMALLEST_BITS];
  private int shift = Integer.SIZE - SMALLEST_BITS;
  private int size;

  public int size() {
    return size;
  }

  public @Nullable CacheEntry find(long low, long high) {
    int[] hashes = this.hashes;
    int mask = hashes.length - 1;
    int hash = hash(low);
    for (int cell = hash >>> shift; hashes[cell] != 0; cell = (cell + 1) & mask) {
      if (hashes[cell] == hash) {
        CacheEntry entry = Objects.requireNonNull(entries[cell]);
        if (entry.keyLow == low && entry.keyHigh == high) {
          return entry;
        }
      }
    }
    return null;
  }

  /** Finds an entry by the lower half of its key. */
  public @Nullable CacheEntry find(long low) {
    int mask = hashes.length - 1;
    int hash = hash(low);
    for (int cell = hash >>> shift; hashes[cell] != 0; cell = (cell + 1) & mask) {
      if (hashes[cell] == hash && Objects.requireNonNull(entries[cell]).keyLow == low) {
        return entries[cell];
      }
    }
    return null;
  }

  /** Adds an entry whose key is not present. */
  void add(CacheEntry entry) {
    if (2 * (size + 1) > hashes.length) {
      grow();
    }
    place(hash(entry.keyLow), entry);
    size++;
  }

  void remove(CacheEntry entry) {
    int mask = hashes.length - 1;
    int hole = hash(entry.keyLow) >>> shift;
    while (entries[hole] != entry) {
      if (hashes[hole] == 0) {
        throw new IllegalStateException("the entry is not in the index under its key");
      }
      hole = (hole + 1) & mask;
    }
    int next = (hole + 1) & mask;
    while (hashes[next] != 0) {
      int home = hashes[next] >>> shift;
      // An entry may move back into the hole only if its home does not lie between hole and itself.
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        hashes[hole] = hashes[next];
        entries[hole] = entries[next];
        hole = next;
      }
      next = (next + 1) & mask;
    }
    hashes[hole] = 0;
    entries[hole] = null;
    size--;
  }

  private void place(int hash, @Nullable CacheEntry entry) {
    int mask = hashes.length - 1;
    int cell = hash >>> shift;
    while (hashes[cell] != 0) {
      cell = (cell + 1) & mask;
    }
    hashes[cell] = hash;
    entries[cell] = entry;
  }

  private void grow() {
    int[] oldHashes = hashes;
    @Nullable CacheEntry[] oldEntries = entries;
    hashes = new int[oldHashes.length * 2];
    entries = new CacheEntry[oldHashes.length * 2];
    shift--;
    for (int cell = 0; cell < oldHashes.length; cell++) {
      if (oldHashes[cell] != 0) {
        place(oldHashes[cell], oldEntries[cell]);
      }
    }
  }

  // Keys come from outside and may be badly mixed, so the multiplication is necessary.
  private static int hash(long low) {
    return (int) ((low * 0x9E3779B97F4A7C15L) >>> 32) | 1;
  }
}

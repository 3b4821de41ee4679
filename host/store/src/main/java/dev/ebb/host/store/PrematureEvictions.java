package dev.ebb.host.store;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/**
 * The last evicted entries, to detect which were requested again, and how soon. Bounded: the newest
 * replaces the oldest. Guarded by the partition's lock.
 */
final class PrematureEvictions {

  static final int WINDOW = 1 << 16;

  private static final int FIRST = 1 << 10;
  private static final int NONE = -1;

  private final Long2IntOpenHashMap places = new Long2IntOpenHashMap();

  private long[] fingerprints = new long[FIRST];
  private long[] evictedNanos = new long[FIRST];
  private int[] units = new int[FIRST];
  private long evictions;
  private long count;
  private long countUnits;
  private long gapNanos;

  PrematureEvictions() {
    places.defaultReturnValue(NONE);
  }

  void evicted(long fingerprint, int weight, long now) {
    int place = (int) (evictions % WINDOW);
    if (place == fingerprints.length) {
      int length = Math.min(WINDOW, place * 2);
      fingerprints = Arrays.copyOf(fingerprints, length);
      evictedNanos = Arrays.copyOf(evictedNanos, length);
      units = Arrays.copyOf(units, length);
    }
    if (evictions >= WINDOW) {
      // An entry evicted again since has another index, and stays.
      places.remove(fingerprints[place], place);
    }
    fingerprints[place] = fingerprint;
    evictedNanos[place] = now;
    units[place] = weight;
    places.put(fingerprint, place);
    evictions++;
  }

  void missed(long fingerprint, long now) {
    int place = places.remove(fingerprint);
    if (place != NONE) {
      count++;
      countUnits += units[place];
      gapNanos += now - evictedNanos[place];
    }
  }

  PrematureEvictionStats stats() {
    return new PrematureEvictionStats(
        count, countUnits * ObjectMemory.UNIT_BYTES, gapNanos / 1e9, WINDOW);
  }
}

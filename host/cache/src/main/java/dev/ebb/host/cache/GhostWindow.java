package dev.ebb.host.cache;

/**
 * Remembers the last evicted entries, to count how many of them were requested again: the
 * re-prefill rate. An entry is counted once, because it is missed before it is evicted again.
 *
 * <p>A fingerprint may be in one bucket of eight slots, one cache line, and replaces the oldest one
 * in it: an eviction and a miss touch one line each, at any length. With two remembered entries per
 * bucket on average, one in ten thousand is forgotten too early.
 */
public final class GhostWindow {

  private static final int PLACES = 8;
  private static final int MEAN_FILL = 2;
  private static final long EMPTY = 0;

  /** A slot: a tag of the fingerprint above, and below when it was evicted, in evictions. */
  private static final int TIME_BITS = 28;

  private static final long TIME_MASK = (1L << TIME_BITS) - 1;

  private final int length;
  private final int buckets;

  /** Created by the first eviction: a cache without evictions needs none. */
  private long[] places = new long[0];

  private long evicted;
  private long askedAgain;

  /**
   * Creates an empty window.
   *
   * @param length how many evicted entries are remembered, 1 to 2^26
   */
  public GhostWindow(int length) {
    if (length < 1 || length > 1 << 26) {
      throw new IllegalArgumentException("length is " + length + ", must be 1 to 2^26");
    }
    this.length = length;
    buckets = (length + MEAN_FILL - 1) / MEAN_FILL;
  }

  /** Returns how many evicted entries are remembered at most. */
  public int length() {
    return length;
  }

  /** Returns the number of evicted entries since the start. */
  public long evicted() {
    return evicted;
  }

  /**
   * Returns how many evicted entries were requested again while they were remembered, since the
   * start.
   */
  public long askedAgain() {
    return askedAgain;
  }

  void onEvicted(long fingerprint) {
    if (places.length == 0) {
      places = new long[buckets * PLACES];
    }
    long now = ++evicted;
    long hash = hash(fingerprint);
    int first = bucket(hash);
    int oldest = first;
    long age = -1;
    for (int place = first; place < first + PLACES; place++) {
      long other = age(places[place], now);
      if (other > age) {
        age = other;
        oldest = place;
      }
    }
    places[oldest] = tag(hash) | (now & TIME_MASK);
  }

  void onMissed(long fingerprint) {
    if (places.length == 0) {
      return;
    }
    long hash = hash(fingerprint);
    long tag = tag(hash);
    int first = bucket(hash);
    for (int place = first; place < first + PLACES; place++) {
      if ((places[place] & ~TIME_MASK) == tag && places[place] != EMPTY) {
        if (age(places[place], evicted) < length) {
          askedAgain++;
        }
        places[place] = EMPTY;
        return;
      }
    }
  }

  /** Returns the evictions since the slot was filled; an empty one is older than all. */
  private static long age(long place, long now) {
    return place == EMPTY ? TIME_MASK + 1 : (now - place) & TIME_MASK;
  }

  private static long hash(long fingerprint) {
    long hash = fingerprint * 0xD6E8FEB86659FD93L;
    return hash ^ (hash >>> 32);
  }

  private int bucket(long hash) {
    return (int) (((hash >>> 32) * buckets) >>> 32) * PLACES;
  }

  private static long tag(long hash) {
    return hash << TIME_BITS;
  }
}

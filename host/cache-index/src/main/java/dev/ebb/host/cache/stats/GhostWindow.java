package dev.ebb.host.cache.stats;

import dev.ebb.spi.PolicyClock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the last evicted entries, to count how many of them were requested again: the
 * re-prefill rate. A remembered eviction is counted once.
 *
 * <p>A fingerprint may be in one bucket of eight slots, and replaces the oldest one in it. A bucket
 * is one cache line, so an eviction and a miss touch one line each. With two remembered entries per
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

  private final @Nullable PolicyClock clock;

  /** Created by the first eviction: a cache without evictions needs none. */
  private long[] places = new long[0];

  /** With a clock, the weight and the time of the last evictions, one after the other. */
  private int[] weights = new int[0];

  private long[] times = new long[0];

  private long evicted;
  private long askedAgain;
  private long askedAgainBlocks;
  private long gapNanos;

  /** Creates an empty window of 1 to 2^26 entries that only counts. */
  public GhostWindow(int length) {
    this(length, null);
  }

  /**
   * Creates an empty window of 1 to 2^26 entries. With a clock it also measures the time until they
   * are requested again, and sums up their blocks.
   */
  public GhostWindow(int length, @Nullable PolicyClock clock) {
    this.clock = clock;
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

  public long evicted() {
    return evicted;
  }

  /** Returns how many evicted entries were requested again while they were remembered. */
  public long askedAgain() {
    return askedAgain;
  }

  /** Returns the blocks of those entries; 0 without a clock. */
  public long askedAgainBlocks() {
    return askedAgainBlocks;
  }

  /** Returns the nanoseconds from eviction to request, of all of them; 0 without a clock. */
  public long gapNanos() {
    return gapNanos;
  }

  public void onEvicted(long fingerprint, int blocks) {
    if (places.length == 0) {
      places = new long[buckets * PLACES];
      weights = new int[clock == null ? 0 : length];
      times = new long[weights.length];
    }
    long now = ++evicted;
    long hash = hash(fingerprint);
    long tag = tag(hash);
    int first = bucket(hash);
    int oldest = first;
    long age = -1;
    for (int place = first; place < first + PLACES; place++) {
      if (is(tag, places[place])) {
        // A client stored the entry again without requesting it.
        oldest = place;
        break;
      }
      long other = age(places[place], now);
      if (other > age) {
        age = other;
        oldest = place;
      }
    }
    places[oldest] = tag | (now & TIME_MASK);
    if (clock != null) {
      int at = (int) (now % length);
      weights[at] = blocks;
      times[at] = clock.nanos();
    }
  }

  public void onMissed(long fingerprint) {
    if (places.length == 0) {
      return;
    }
    long hash = hash(fingerprint);
    long tag = tag(hash);
    int first = bucket(hash);
    for (int place = first; place < first + PLACES; place++) {
      if (is(tag, places[place])) {
        count(age(places[place], evicted));
        places[place] = EMPTY;
        return;
      }
    }
  }

  private void count(long age) {
    if (age >= length) {
      return;
    }
    askedAgain++;
    if (clock != null) {
      int at = (int) ((evicted - age) % length);
      askedAgainBlocks += weights[at];
      gapNanos += clock.nanos() - times[at];
    }
  }

  private static boolean is(long tag, long place) {
    return (place & ~TIME_MASK) == tag && place != EMPTY;
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

package dev.ebb.plugin.predictive;

import dev.ebb.spi.Request;
import java.util.Arrays;

/**
 * The blocks that waiting requests will need, by fingerprint, each with the place in the queue of
 * the first request that needs it. A hash table with open addressing, at most half full.
 */
final class WaitingBlocks {

  /** The place in the queue of a block that no waiting request needs. */
  static final int NOT_NEEDED = Integer.MAX_VALUE;

  private static final int SMALLEST = 64;
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private long capacity;
  private long[] fingerprints = new long[SMALLEST];

  /** The place in the queue plus 1; 0 where there is no block. */
  private int[] places = new int[SMALLEST];

  private int size;

  /**
   * Creates an empty set.
   *
   * @param capacityBlocks the most blocks to remember, since no more can be kept
   */
  WaitingBlocks(long capacityBlocks) {
    capacity = capacityBlocks;
  }

  void capacity(long blocks) {
    capacity = blocks;
  }

  /** Replaces the blocks with those that wait behind a request, which has just begun. */
  void began(Request request) {
    if (size > 0) {
      Arrays.fill(places, 0);
      size = 0;
    }
    int waiting = request.waiting();
    for (int place = 0; place < waiting && size < capacity; place++) {
      add(request.waiting(place), place);
    }
  }

  private void add(Request request, int place) {
    int blocks = request.blocks();
    for (int index = 0; index < blocks && size < capacity; index++) {
      long fingerprint = request.fingerprint(index);
      int at = find(fingerprint);
      if (places[at] == 0) {
        fingerprints[at] = fingerprint;
        places[at] = place + 1;
        if (2 * ++size >= places.length) {
          grow();
        }
      }
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns how many different blocks are needed. */
  int size() {
    return size;
  }

  boolean needs(CachedBlock block) {
    return size > 0 && !block.gone() && place(block.entry.fingerprint()) != NOT_NEEDED;
  }

  /** Returns the place in the queue of the first request that needs a block; 0 is the next one. */
  int place(long fingerprint) {
    int place = places[find(fingerprint)];
    return place == 0 ? NOT_NEEDED : place - 1;
  }

  /** Returns the position of a fingerprint, or the free one where it would be. */
  private int find(long fingerprint) {
    int mask = places.length - 1;
    int at = (int) ((fingerprint * GOLDEN_RATIO) >>> Integer.SIZE) & mask;
    while (places[at] != 0 && fingerprints[at] != fingerprint) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    long[] oldFingerprints = fingerprints;
    int[] oldPlaces = places;
    fingerprints = new long[2 * oldPlaces.length];
    places = new int[2 * oldPlaces.length];
    for (int i = 0; i < oldPlaces.length; i++) {
      if (oldPlaces[i] != 0) {
        int at = find(oldFingerprints[i]);
        fingerprints[at] = oldFingerprints[i];
        places[at] = oldPlaces[i];
      }
    }
  }
}

package dev.ebb.plugin.predictive;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Fingerprints of blocks, of which those with a low survival index are evicted first. As in {@link
 * Selection}, half of a sample is evicted before the next one is drawn.
 */
final class SimulatedCache {

  private final IndexCache indices;
  private final int samples;
  private final Map<Long, Integer> places = new HashMap<>();
  private long[] fingerprints = new long[64];
  private int[] classes = new int[64];
  private long[] born = new long[64];
  private int size;

  // The sample, lowest index first: fingerprints and the times when they were used.
  private final long[] order;
  private final long[] drawn;
  private final long[] drawnBorn;
  private int next;
  private int end;
  private int random = 1;

  /**
   * Creates an empty cache.
   *
   * @param samples how many blocks to draw for victims
   */
  SimulatedCache(IndexCache indices, int samples) {
    this.indices = indices;
    this.samples = samples;
    order = new long[samples];
    drawn = new long[samples];
    drawnBorn = new long[samples];
  }

  int size() {
    return size;
  }

  boolean has(long fingerprint) {
    return places.containsKey(fingerprint);
  }

  /** Uses a block, which is inserted if it is missing. */
  void use(long fingerprint, int blockClass, long now) {
    Integer place = places.putIfAbsent(fingerprint, size);
    int at = place == null ? size++ : place;
    if (at == fingerprints.length) {
      fingerprints = Arrays.copyOf(fingerprints, at * 2);
      classes = Arrays.copyOf(classes, at * 2);
      born = Arrays.copyOf(born, at * 2);
    }
    fingerprints[at] = fingerprint;
    classes[at] = blockClass;
    born[at] = now;
  }

  void remove(long fingerprint) {
    Integer place = places.remove(fingerprint);
    if (place != null) {
      fill(place);
    }
  }

  void clear() {
    places.clear();
    size = 0;
    next = end;
  }

  /** Evicts a block; there must be one. */
  void evict(long now) {
    Integer victim = null;
    while (victim == null) {
      if (next == end) {
        draw(now);
      }
      int at = (int) order[next++];
      victim = places.get(drawn[at]);
      if (victim != null && born[victim] != drawnBorn[at]) {
        victim = null;
      }
    }
    places.remove(fingerprints[victim]);
    fill(victim);
  }

  private void draw(long now) {
    int count = Math.min(samples, size);
    for (int i = 0; i < count; i++) {
      int at = count == size ? i : place();
      drawn[i] = fingerprints[at];
      drawnBorn[i] = born[at];
      long age = Math.max(0, now - born[at]);
      float index = indices.index(classes[at], Ages.bin(age), age);
      order[i] = (long) Float.floatToRawIntBits(index) << Integer.SIZE | i;
    }
    Arrays.sort(order, 0, count);
    next = 0;
    end = (count + 1) / 2;
  }

  /** Moves the last block to a place that is free. */
  private void fill(int place) {
    int last = --size;
    if (place != last) {
      fingerprints[place] = fingerprints[last];
      classes[place] = classes[last];
      born[place] = born[last];
      places.put(fingerprints[place], place);
    }
  }

  /** Draws a place. The policy's own draws must not depend on what is simulated. */
  private int place() {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return (int) (((random & 0xFFFF_FFFFL) * size) >>> Integer.SIZE);
  }
}

package dev.ebb.spi;

import java.util.Arrays;

/**
 * Remembers the fingerprints of removed entries, oldest first, up to a capacity. It is the ghost
 * list of ARC, S3-FIFO and others, and, with a number for each fingerprint, the history of LRU-K
 * and others.
 *
 * <p>Every operation is O(1). Storage is primitive, doubles as the list fills, and stops growing at
 * the capacity, so that a full list allocates nothing. It takes at most 48 bytes per fingerprint,
 * and 16 more once a number other than 0 is stored.
 *
 * @since 1.0.0
 */
public final class GhostList {

  /** The largest capacity; a larger one is cut down to it. */
  public static final int MAX_CAPACITY = 1 << 29;

  private static final int NONE = -1;
  private static final int SMALLEST = 16;
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private int capacity;
  private int size;

  // One slot a fingerprint. A free slot is linked to the next free one by newer.
  private long[] fingerprints;
  private int[] older;
  private int[] newer;
  private int oldest = NONE;
  private int newest = NONE;
  private int free;

  // By slot; empty until there is one that is not 0.
  private long[] values = {};

  // By fingerprint: slot + 1 in the lower bits, 0 where there is none. The other bits are a part of
  // the hash, so that a search seldom reads another fingerprint. Open addressing, at most half
  // full.
  private int[] table;
  private int shift;
  private int slotMask;

  /**
   * Creates an empty list.
   *
   * @param capacity how many fingerprints it remembers, 0 or more
   * @throws IllegalArgumentException if the capacity is negative
   */
  public GhostList(long capacity) {
    this.capacity = bounded(capacity);
    fingerprints = new long[SMALLEST];
    older = new int[SMALLEST];
    newer = new int[SMALLEST];
    table = new int[0];
    chainFree(0);
    index(SMALLEST);
  }

  /**
   * Remembers a fingerprint as the newest; an existing one becomes the newest. The oldest is
   * forgotten if there is no room.
   *
   * @param fingerprint an entry's name
   */
  public void add(long fingerprint) {
    add(fingerprint, 0);
  }

  /**
   * Remembers a fingerprint as the newest, with a number; an existing one becomes the newest, with
   * this number. The oldest is forgotten if there is no room.
   *
   * @param fingerprint an entry's name
   * @param value what to remember of it, such as the tick of a use
   */
  public void add(long fingerprint, long value) {
    int position = find(fingerprint);
    int slot = slot(position);
    if (slot != NONE) {
      if (slot != newest) {
        unlink(slot);
        link(slot);
      }
    } else if (capacity == 0) {
      return;
    } else {
      if (size == capacity || free == NONE) {
        makeRoom();
        position = find(fingerprint);
      }
      slot = free;
      free = newer[slot];
      fingerprints[slot] = fingerprint;
      table[position] = cell(fingerprint, slot);
      size++;
      link(slot);
    }
    if (values.length == 0 && value != 0) {
      values = new long[fingerprints.length];
    }
    if (values.length != 0) {
      values[slot] = value;
    }
  }

  /**
   * Returns whether a fingerprint is remembered.
   *
   * @param fingerprint an entry's name
   * @return true if it is
   */
  public boolean contains(long fingerprint) {
    return slot(find(fingerprint)) != NONE;
  }

  /**
   * Returns the number stored with a fingerprint.
   *
   * @param fingerprint an entry's name
   * @param absent the result if it is not remembered
   * @return its number; 0 if it was added without one
   */
  public long value(long fingerprint, long absent) {
    int slot = slot(find(fingerprint));
    if (slot == NONE) {
      return absent;
    }
    return values.length == 0 ? 0 : values[slot];
  }

  /**
   * Forgets a fingerprint.
   *
   * @param fingerprint an entry's name
   * @return true if it was remembered
   */
  public boolean remove(long fingerprint) {
    int position = find(fingerprint);
    int slot = slot(position);
    if (slot == NONE) {
      return false;
    }
    close(position);
    unlink(slot);
    newer[slot] = free;
    free = slot;
    size--;
    return true;
  }

  /**
   * Forgets the fingerprint added longest ago.
   *
   * @return false if the list was empty
   */
  public boolean removeOldest() {
    return oldest != NONE && remove(fingerprints[oldest]);
  }

  /**
   * Returns how many fingerprints are remembered.
   *
   * @return 0 to {@link #capacity()}
   */
  public int size() {
    return size;
  }

  /**
   * Returns how many fingerprints can be remembered.
   *
   * @return 0 to {@link #MAX_CAPACITY}
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Changes the capacity and forgets the oldest fingerprints beyond it.
   *
   * @param capacity how many fingerprints to remember, 0 or more
   * @throws IllegalArgumentException if the capacity is negative
   */
  public void resize(long capacity) {
    this.capacity = bounded(capacity);
    while (size > this.capacity) {
      removeOldest();
    }
  }

  private static int bounded(long capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException("capacity '" + capacity + "' must be 0 or more");
    }
    return (int) Math.min(capacity, MAX_CAPACITY);
  }

  private void makeRoom() {
    if (size == capacity) {
      removeOldest();
    }
    if (free == NONE) {
      grow();
    }
  }

  private void grow() {
    int slots = fingerprints.length;
    fingerprints = Arrays.copyOf(fingerprints, 2 * slots);
    older = Arrays.copyOf(older, 2 * slots);
    newer = Arrays.copyOf(newer, 2 * slots);
    if (values.length != 0) {
      values = Arrays.copyOf(values, 2 * slots);
    }
    chainFree(slots);
    index(2 * slots);
  }

  private void chainFree(int from) {
    for (int slot = from; slot < newer.length; slot++) {
      newer[slot] = slot + 1;
    }
    newer[newer.length - 1] = NONE;
    free = from;
  }

  private void index(int slots) {
    table = new int[2 * slots];
    shift = Long.numberOfLeadingZeros(table.length) + 1;
    slotMask = 2 * slots - 1;
    for (int slot = oldest; slot != NONE; slot = newer[slot]) {
      table[find(fingerprints[slot])] = cell(fingerprints[slot], slot);
    }
  }

  private int cell(long fingerprint, int slot) {
    return (tag(fingerprint) & ~slotMask) | (slot + 1);
  }

  private int slot(int position) {
    return (table[position] & slotMask) - 1;
  }

  /** Returns the position that holds the fingerprint, or the empty one where it would go. */
  private int find(long fingerprint) {
    int[] table = this.table;
    int tag = tag(fingerprint);
    int position = home(fingerprint);
    for (int cell = table[position]; cell != 0; cell = table[position]) {
      if (((cell ^ tag) & ~slotMask) == 0 && fingerprints[(cell & slotMask) - 1] == fingerprint) {
        return position;
      }
      position = (position + 1) & (table.length - 1);
    }
    return position;
  }

  private int home(long fingerprint) {
    return (int) ((fingerprint * GOLDEN_RATIO) >>> shift);
  }

  /** Returns bits of the hash that the home does not depend on, unless the table is very large. */
  private static int tag(long fingerprint) {
    return (int) ((fingerprint * GOLDEN_RATIO) >>> 8);
  }

  /** Empties a position and moves later ones up, so that none becomes unreachable. */
  private void close(int position) {
    int mask = table.length - 1;
    int gap = position;
    for (int next = (gap + 1) & mask; table[next] != 0; next = (next + 1) & mask) {
      int home = home(fingerprints[slot(next)]);
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        table[gap] = table[next];
        gap = next;
      }
    }
    table[gap] = 0;
  }

  private void link(int slot) {
    older[slot] = newest;
    newer[slot] = NONE;
    if (newest == NONE) {
      oldest = slot;
    } else {
      newer[newest] = slot;
    }
    newest = slot;
  }

  private void unlink(int slot) {
    if (older[slot] == NONE) {
      oldest = newer[slot];
    } else {
      newer[older[slot]] = newer[slot];
    }
    if (newer[slot] == NONE) {
      newest = older[slot];
    } else {
      older[newer[slot]] = older[slot];
    }
  }
}

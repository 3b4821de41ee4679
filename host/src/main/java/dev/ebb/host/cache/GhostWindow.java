package dev.ebb.host.cache;

/**
 * Remembers the last evicted entries, to tell how many of them were asked for again: the re-prefill
 * rate. First in, first out; an entry is counted once.
 */
public final class GhostWindow {

  private final long[] ring;
  private final long[] table;
  private final int[] positions;
  private final int mask;
  private int oldest;
  private int count;
  private long evicted;
  private long askedAgain;

  /**
   * An empty window.
   *
   * @param length how many evicted entries are remembered, 1 to 2^28
   */
  public GhostWindow(int length) {
    if (length < 1 || length > 1 << 28) {
      throw new IllegalArgumentException("length is " + length + ", must be 1 to 2^28");
    }
    ring = new long[length];
    table = new long[Integer.highestOneBit(Math.max(2, length * 2 - 1)) * 2];
    positions = new int[table.length];
    mask = table.length - 1;
  }

  /**
   * How many evicted entries are remembered at most.
   *
   * @return the length
   */
  public int length() {
    return ring.length;
  }

  /**
   * Entries evicted in all.
   *
   * @return the count since the start
   */
  public long evicted() {
    return evicted;
  }

  /**
   * Evicted entries that were asked for again while they were remembered.
   *
   * @return the count since the start
   */
  public long askedAgain() {
    return askedAgain;
  }

  void onEvicted(long fingerprint) {
    long key = key(fingerprint);
    evicted++;
    if (count == ring.length) {
      int index = find(ring[oldest]);
      // Evicted again since: the newer place in the ring stands for it.
      if (index >= 0 && positions[index] == oldest) {
        removeAt(index);
      }
      count--;
      oldest = next(oldest);
    }
    int end = oldest + count < ring.length ? oldest + count : oldest + count - ring.length;
    ring[end] = key;
    count++;
    add(key, end);
  }

  void onMissed(long fingerprint) {
    int index = find(key(fingerprint));
    if (index >= 0) {
      removeAt(index);
      askedAgain++;
    }
  }

  private int next(int index) {
    return index + 1 == ring.length ? 0 : index + 1;
  }

  private void add(long key, int position) {
    int index = home(key);
    while (table[index] != 0 && table[index] != key) {
      index = (index + 1) & mask;
    }
    table[index] = key;
    positions[index] = position;
  }

  private int find(long key) {
    int index = home(key);
    while (table[index] != key) {
      if (table[index] == 0) {
        return -1;
      }
      index = (index + 1) & mask;
    }
    return index;
  }

  private void removeAt(int start) {
    int hole = start;
    int index = hole;
    while (true) {
      index = (index + 1) & mask;
      long next = table[index];
      if (next == 0) {
        break;
      }
      if (((index - home(next)) & mask) >= ((index - hole) & mask)) {
        table[hole] = next;
        positions[hole] = positions[index];
        hole = index;
      }
    }
    table[hole] = 0;
  }

  // 0 marks an empty cell.
  private static long key(long fingerprint) {
    return fingerprint == 0 ? 1 : fingerprint;
  }

  private int home(long key) {
    return (int) ((key * 0xD6E8FEB86659FD93L) >>> 32) & mask;
  }
}

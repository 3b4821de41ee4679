package dev.ebb.host.store.chain;

import dev.ebb.host.store.tile.KnownOrder;

/**
 * What lookups have shown about the key before each key: a candidate, and how often in a row it was
 * seen. Keys of chunks are chained hashes, so a key has one predecessor, and another one seen is a
 * sign of interleaved clients. A candidate is replaced once the same other key was seen as often in
 * a row, at most {@value #CERTAIN} times. A key that follows a different one each time is the first
 * of a chain.
 *
 * <p>A hash table of lower halves of keys, 8 cells to a bucket. In a full bucket the weakest key is
 * forgotten. Guarded by the partition's lock.
 */
final class Predecessors implements KnownOrder {

  /** The predecessor of the first key of a chain. */
  static final long NONE = KnownOrder.NONE;

  /** How often a predecessor must be seen to be as certain as it can be. */
  static final int CERTAIN = 3;

  /** After how many sightings in a row without its candidate a key is the first of a chain. */
  static final int UNSUPPORTED = 8;

  private static final int WAYS = 8;
  private static final int SMALLEST = 1 << 10;

  private final int limit;
  private long[] keys = new long[SMALLEST];
  private long[] candidates = new long[SMALLEST];
  private int[] challengers = new int[SMALLEST];

  /**
   * By cell: how often the candidate was seen in the lowest two bits, its challenger in a row in
   * the next two, any others in a row above; 0 if it is empty.
   */
  private byte[] seen = new byte[SMALLEST];

  private int size;
  private long replaced;

  /** Which of the weakest keys of a bucket is forgotten next. */
  private int turn;

  Predecessors(long keys) {
    limit = Math.clamp(Long.highestOneBit(4 * keys - 1), SMALLEST, 1 << 26);
  }

  int size() {
    return size;
  }

  long replaced() {
    return replaced;
  }

  int seen(long key) {
    int cell = find(key);
    return cell < 0 ? 0 : seen[cell] & 3;
  }

  @Override
  public boolean isSure(long key) {
    return seen(key) > 1;
  }

  @Override
  public boolean isKnown(long key) {
    return seen(key) > 0;
  }

  @Override
  public long before(long key) {
    int cell = find(key);
    return cell < 0 ? NONE : candidates[cell];
  }

  /** Returns the key before another one if that is certain; otherwise {@link #NONE}. */
  long certain(long key) {
    return seen(key) == CERTAIN ? before(key) : NONE;
  }

  /**
   * Records that a client has cut a prompt so that a key is directly after another one. That is
   * surer than any assumption.
   */
  void sawInTile(long key, long predecessor) {
    int cell = find(key);
    if (cell < 0 || (seen[cell] & 3) == 1) {
      set(cell, key, predecessor, CERTAIN - 1);
    } else {
      saw(key, predecessor);
    }
  }

  /** Assumes the predecessor of a key that nothing is known about, or only an assumption. */
  void assume(long key, long predecessor) {
    int cell = find(key);
    if (cell < 0) {
      add(key, predecessor);
    } else if ((seen[cell] & 3) == 1) {
      candidates[cell] = predecessor;
    }
  }

  /** Records that a key was looked up directly after another one, or first. */
  void saw(long key, long predecessor) {
    int cell = find(key);
    if (cell < 0) {
      add(key, predecessor);
      return;
    }
    int strength = seen[cell] & 3;
    if (candidates[cell] == predecessor) {
      seen[cell] = (byte) Math.min(strength + 1, CERTAIN);
      return;
    }
    int challenger = hash(predecessor);
    int challenges = challenger == challengers[cell] ? (seen[cell] >> 2 & 3) + 1 : 1;
    int others = Math.min((seen[cell] >> 4 & 15) + 1, UNSUPPORTED);
    if (challenges > 1 && challenges >= strength) {
      replace(cell, predecessor, challenges, 0);
    } else if (others == UNSUPPORTED && candidates[cell] != NONE) {
      replace(cell, NONE, CERTAIN, 0);
    } else if (challenges >= strength) {
      replace(cell, predecessor, challenges, others);
    } else {
      challengers[cell] = challenger;
      seen[cell] = (byte) (strength | challenges << 2 | others << 4);
    }
  }

  private void replace(int cell, long candidate, int strength, int others) {
    candidates[cell] = candidate;
    challengers[cell] = 0;
    seen[cell] = (byte) (strength | others << 4);
    replaced++;
  }

  void stated(long key, long predecessor) {
    set(find(key), key, predecessor, CERTAIN);
  }

  /** Sets the candidate of a key in a cell, which is negative for an unknown key. */
  private void set(int found, long key, long predecessor, int strength) {
    int cell = found < 0 ? add(key, predecessor) : found;
    replaced += candidates[cell] == predecessor ? 0 : 1;
    candidates[cell] = predecessor;
    seen[cell] = (byte) strength;
  }

  /** Adds a key; returns its cell. */
  private int add(long key, long predecessor) {
    if (2 * (size + 1) > keys.length && keys.length < limit) {
      grow();
    }
    int start = bucket(key);
    int into = start + (turn++ & (WAYS - 1));
    for (int cell = start; cell < start + WAYS; cell++) {
      if ((seen[cell] & 3) < (seen[into] & 3)) {
        into = cell;
      }
    }
    if (seen[into] == 0) {
      size++;
    }
    keys[into] = key;
    candidates[into] = predecessor;
    challengers[into] = 0;
    seen[into] = 1;
    return into;
  }

  private int find(long key) {
    int start = bucket(key);
    for (int cell = start; cell < start + WAYS; cell++) {
      if (keys[cell] == key && seen[cell] != 0) {
        return cell;
      }
    }
    return -1;
  }

  private void grow() {
    long[] oldKeys = keys;
    long[] oldCandidates = candidates;
    int[] oldChallengers = challengers;
    byte[] oldSeen = seen;
    int length = oldKeys.length * 2;
    keys = new long[length];
    candidates = new long[length];
    challengers = new int[length];
    seen = new byte[length];
    // A bucket's keys go to two buckets, so each has room.
    int[] next = new int[length / WAYS];
    for (int cell = 0; cell < oldKeys.length; cell++) {
      if (oldSeen[cell] != 0) {
        int start = bucket(oldKeys[cell]);
        int to = start + next[start / WAYS]++;
        keys[to] = oldKeys[cell];
        candidates[to] = oldCandidates[cell];
        challengers[to] = oldChallengers[cell];
        seen[to] = oldSeen[cell];
      }
    }
  }

  private int bucket(long key) {
    return (hash(key) & (keys.length / WAYS - 1)) * WAYS;
  }

  private static int hash(long key) {
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32);
  }
}

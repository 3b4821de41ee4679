package dev.ebb.plugin.predictive;

import java.util.Arrays;

/**
 * Blocks that left not long ago, by fingerprint: first in, first out. What is known of a block
 * outlives it here, so that its return counts.
 *
 * <p>Held in flat arrays that grow with need, linked in order of leaving, and found through an
 * open-addressing table.
 */
final class Ghosts {

  private static final int NONE = -1;
  private static final int INITIAL = 64;
  private static final int LARGEST = 1 << 28;

  private final Cohorts cohorts;
  private int limit;
  private int size;

  private long[] fingerprints = new long[INITIAL];
  private int[] cohort = new int[INITIAL];
  private byte[] uses = new byte[INITIAL];
  private int[] before = new int[INITIAL];
  private int[] after = new int[INITIAL];
  private int first = NONE;
  private int last = NONE;
  private int used;
  private int free = NONE;

  // The upper half of a key's hash above its ghost, so that a search stays in this table.
  private long[] table = new long[INITIAL * 2];

  /**
   * No ghosts.
   *
   * @param cohorts where forgotten ghosts leave
   * @param limit how many to remember at most
   */
  Ghosts(Cohorts cohorts, long limit) {
    this.cohorts = cohorts;
    this.limit = (int) Math.min(limit, LARGEST);
    Arrays.fill(table, NONE);
  }

  /** How many are remembered. */
  int size() {
    return size;
  }

  /** Remembers more or fewer from now on. */
  void limit(long newLimit) {
    limit = (int) Math.min(newLimit, LARGEST);
    while (size > limit) {
      forget(first);
    }
  }

  /** Remembers a block, as a member of its cohort. */
  void add(long fingerprint, int itsCohort, int itsUses) {
    int known = find(fingerprint);
    if (known != NONE) {
      forget(known);
    }
    if (limit == 0) {
      cohorts.left(itsCohort, 1);
      return;
    }
    if (size == limit) {
      forget(first);
    }
    int ghost = place();
    fingerprints[ghost] = fingerprint;
    cohort[ghost] = itsCohort;
    uses[ghost] = (byte) itsUses;
    before[ghost] = last;
    after[ghost] = NONE;
    if (last == NONE) {
      first = ghost;
    } else {
      after[last] = ghost;
    }
    last = ghost;
    enter(ghost);
    size++;
  }

  /**
   * Looks a block up.
   *
   * @return its number for {@link #cohort}, {@link #uses} and {@link #drop}, or -1
   */
  int find(long fingerprint) {
    int hash = hash(fingerprint);
    int mask = table.length - 1;
    for (int slot = home(hash); table[slot] != NONE; slot = (slot + 1) & mask) {
      int ghost = (int) table[slot];
      if ((int) (table[slot] >>> Integer.SIZE) == hash && fingerprints[ghost] == fingerprint) {
        return ghost;
      }
    }
    return NONE;
  }

  int cohort(int ghost) {
    return cohort[ghost];
  }

  int uses(int ghost) {
    return uses[ghost] & 0xFF;
  }

  /** Takes a ghost out; its cohort is the caller's business. */
  void drop(int ghost) {
    int mask = table.length - 1;
    int slot = home(hash(fingerprints[ghost]));
    while ((int) table[slot] != ghost) {
      slot = (slot + 1) & mask;
    }
    closeGap(slot);
    if (before[ghost] == NONE) {
      first = after[ghost];
    } else {
      after[before[ghost]] = after[ghost];
    }
    if (after[ghost] == NONE) {
      last = before[ghost];
    } else {
      before[after[ghost]] = before[ghost];
    }
    after[ghost] = free;
    free = ghost;
    size--;
  }

  private void forget(int ghost) {
    cohorts.left(cohort[ghost], 1);
    drop(ghost);
  }

  private int place() {
    int ghost = free;
    if (ghost != NONE) {
      free = after[ghost];
      return ghost;
    }
    if (used == fingerprints.length) {
      grow();
    }
    return used++;
  }

  // Later keys of the same run move up, so that no search ends at the gap too early.
  private void closeGap(int gap) {
    int mask = table.length - 1;
    int hole = gap;
    for (int slot = (gap + 1) & mask; table[slot] != NONE; slot = (slot + 1) & mask) {
      int home = home((int) (table[slot] >>> Integer.SIZE));
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        table[hole] = table[slot];
        hole = slot;
      }
    }
    table[hole] = NONE;
  }

  private void enter(int ghost) {
    int hash = hash(fingerprints[ghost]);
    int mask = table.length - 1;
    int slot = home(hash);
    while (table[slot] != NONE) {
      slot = (slot + 1) & mask;
    }
    table[slot] = (long) hash << Integer.SIZE | ghost;
  }

  private static int hash(long fingerprint) {
    return (int) ((fingerprint * 0x9E3779B97F4A7C15L) >>> Integer.SIZE);
  }

  // The upper bits; the table never has 2^32 places.
  private int home(int hash) {
    return hash >>> Integer.numberOfLeadingZeros(table.length - 1);
  }

  // Grows only while nothing is free, so that all numbers in use are those below the old length.
  private void grow() {
    int length = Math.min(used + (used >> 1), Math.max(limit, INITIAL));
    fingerprints = Arrays.copyOf(fingerprints, length);
    cohort = Arrays.copyOf(cohort, length);
    uses = Arrays.copyOf(uses, length);
    before = Arrays.copyOf(before, length);
    after = Arrays.copyOf(after, length);
    if (table.length / 3 * 2 < length) {
      table = new long[table.length * 2];
      Arrays.fill(table, NONE);
      for (int ghost = 0; ghost < used; ghost++) {
        enter(ghost);
      }
    }
  }
}

package dev.ebb.plugin.predictive;

import java.util.Arrays;

/**
 * Blocks removed recently, by fingerprint: first in, first out. The record of a block outlives the
 * block here, so that its return counts.
 *
 * <p>A ring in order of removal, in flat arrays that grow with need, found through an
 * open-addressing table. A block that returns leaves a hole. When only holes are left to fill, the
 * ring is rebuilt without them.
 *
 * <p>Many ghosts enter the table together, since each is somewhere else in memory: so the processor
 * waits for all of them at once. Until then they are found in the ring.
 */
final class Ghosts {

  private static final int NONE = -1;
  private static final int INITIAL = 64;
  private static final int LARGEST = 1 << 28;

  /** How many ghosts enter the table together, if the limit is so large that memory is slow. */
  private static final int BATCH = 32;

  private static final int BATCH_SHIFT = 18;

  private final Cohorts cohorts;
  private int limit;
  private int size;

  // By place in the ring. A hole has no cohort.
  private long[] fingerprints = new long[INITIAL];
  private int[] cohort = new int[INITIAL];
  private byte[] uses = new byte[INITIAL];
  private int oldest;
  private int next;
  private int used;

  /** The newest ghosts, which are not in the table yet. */
  private int pending;

  // Keeps a read for its effect on the processor's cache alone.
  @SuppressWarnings("UnusedVariable")
  private long warmed;

  // The upper half of a key's hash above its place, so that a search stays in this table.
  private long[] table = new long[INITIAL * 2];

  Ghosts(Cohorts cohorts, long limit) {
    this.cohorts = cohorts;
    this.limit = (int) Math.min(limit, LARGEST);
    Arrays.fill(table, NONE);
  }

  int size() {
    trim();
    return size;
  }

  void limit(long newLimit) {
    limit = (int) Math.min(newLimit, LARGEST);
    trim();
    renew();
  }

  /** Remembers a block, as a member of its cohort. */
  void add(long fingerprint, int itsCohort, int itsUses) {
    if (limit == 0) {
      cohorts.left(itsCohort, 1);
      return;
    }
    if (used == fingerprints.length) {
      trim();
      renew();
    }
    append(fingerprint, itsCohort, (byte) itsUses);
    pending++;
    if (pending >= BATCH || pending >= limit >> BATCH_SHIFT) {
      trim();
    }
  }

  private int append(long fingerprint, int itsCohort, byte itsUses) {
    int ghost = next;
    next = after(ghost);
    used++;
    fingerprints[ghost] = fingerprint;
    cohort[ghost] = itsCohort;
    uses[ghost] = itsUses;
    return ghost;
  }

  /** Puts the newest ghosts into the table, and forgets the oldest beyond the limit. */
  private void trim() {
    if (size + pending > limit) {
      warm(oldest);
    }
    index();
    while (size > limit) {
      forgetOldest();
    }
  }

  private void index() {
    int first = at(next - pending);
    warm(first);
    for (int i = 0; i < pending; i++) {
      index(at(first + i));
    }
    pending = 0;
  }

  private void warm(int from) {
    long sum = 0;
    for (int i = 0; i < pending; i++) {
      sum += table[home(hash(fingerprints[at(from + i)]))];
    }
    warmed = sum;
  }

  private void index(int ghost) {
    long fingerprint = fingerprints[ghost];
    int hash = hash(fingerprint);
    int slot = slot(hash, fingerprint);
    if (table[slot] == NONE) {
      size++;
    } else {
      // It was removed twice; the earlier time does not count any more.
      int before = (int) table[slot];
      cohorts.left(cohort[before], 1);
      cohort[before] = Cohorts.NONE;
    }
    table[slot] = (long) hash << Integer.SIZE | ghost;
  }

  /**
   * Looks a block up.
   *
   * @return its number for {@link #cohort}, {@link #uses} and {@link #drop}, or -1
   */
  int find(long fingerprint) {
    for (int i = 1; i <= pending; i++) {
      int ghost = at(next - i);
      if (fingerprints[ghost] == fingerprint) {
        return ghost;
      }
    }
    return (int) table[slot(hash(fingerprint), fingerprint)];
  }

  int cohort(int ghost) {
    return cohort[ghost];
  }

  int uses(int ghost) {
    return uses[ghost] & 0xFF;
  }

  /** Takes a ghost out; the caller updates its cohort. */
  void drop(int ghost) {
    index();
    int mask = table.length - 1;
    int slot = home(hash(fingerprints[ghost]));
    while ((int) table[slot] != ghost) {
      slot = (slot + 1) & mask;
    }
    closeGap(slot);
    cohort[ghost] = Cohorts.NONE;
    size--;
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

  // The position of a fingerprint, or the one where it would go.
  private int slot(int hash, long fingerprint) {
    int mask = table.length - 1;
    int slot = home(hash);
    while (table[slot] != NONE
        && ((int) (table[slot] >>> Integer.SIZE) != hash
            || fingerprints[(int) table[slot]] != fingerprint)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int hash(long fingerprint) {
    return (int) ((fingerprint * 0x9E3779B97F4A7C15L) >>> Integer.SIZE);
  }

  // The upper bits; the table never has 2^32 positions.
  private int home(int hash) {
    return hash >>> Integer.numberOfLeadingZeros(table.length - 1);
  }

  private void forgetOldest() {
    while (cohort[oldest] == Cohorts.NONE) {
      leaveOldest();
    }
    cohorts.left(cohort[oldest], 1);
    drop(oldest);
    leaveOldest();
  }

  private void leaveOldest() {
    oldest = after(oldest);
    used--;
  }

  private int after(int ghost) {
    return at(ghost + 1);
  }

  /** Returns a place that may lie up to one turn before or after the ring. */
  private int at(int ghost) {
    int length = fingerprints.length;
    return ghost < 0 ? ghost + length : ghost < length ? ghost : ghost - length;
  }

  // Half of the positions are free then, or a third if it holds as many as it may.
  private void renew() {
    long[] theirs = fingerprints;
    int[] theirCohorts = cohort;
    byte[] theirUses = uses;
    int from = oldest;
    int count = used;
    int length = Math.max(INITIAL, size + Math.min(size, limit >> 1));
    fingerprints = new long[length];
    cohort = new int[length];
    uses = new byte[length];
    while (table.length / 3 * 2 < length) {
      table = new long[table.length * 2];
    }
    Arrays.fill(table, NONE);
    oldest = 0;
    next = 0;
    used = 0;
    size = 0;
    for (int i = 0; i < count; i++) {
      int ghost = (int) ((from + (long) i) % theirs.length);
      if (theirCohorts[ghost] != Cohorts.NONE) {
        index(append(theirs[ghost], theirCohorts[ghost], theirUses[ghost]));
      }
    }
  }
}

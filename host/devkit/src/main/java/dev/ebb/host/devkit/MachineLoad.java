package dev.ebb.host.devkit;

import java.util.SplittableRandom;

/**
 * Measures how slow the machine is: it times reads from random places in memory, as policies with
 * many entries do, in the pauses of another measurement.
 */
final class MachineLoad {

  /** More than the caches of a core. */
  private static final int PLACES = 1 << 22;

  private static final int MOST_READS = 5_000;

  /** With fewer, one slow read would count too much. */
  private static final int LEAST_READS = 250;

  /** One read on an idle server. */
  private static final double IDLE_NANOS_PER_READ = 60;

  private final int[] next = Cycle.NEXT;
  private int at;
  private double best = Double.POSITIVE_INFINITY;

  /** Made once, by the first measurement: it takes longer than some of them. */
  private static final class Cycle {
    private static final int[] NEXT = through(PLACES);

    /** Returns a random cycle through all places (Sattolo, Inf. Proc. Letters 1986). */
    private static int[] through(int places) {
      int[] cycle = new int[places];
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 1; i < places; i++) {
        cycle[i] = i;
        int other = random.nextInt(i);
        cycle[i] = cycle[other];
        cycle[other] = i;
      }
      return cycle;
    }
  }

  void start() {
    best = Double.POSITIVE_INFINITY;
  }

  /**
   * Times some reads. The fastest time counts, as that of the policy does.
   *
   * @param nanos about how long it may take on an idle server
   */
  void sample(long nanos) {
    int reads = (int) Math.clamp(nanos / IDLE_NANOS_PER_READ, LEAST_READS, MOST_READS);
    long start = System.nanoTime();
    int place = at;
    for (int i = 0; i < reads; i++) {
      place = next[place];
    }
    at = place;
    best = Math.min(best, (double) (System.nanoTime() - start) / reads);
  }

  /** Returns how many times slower than idle it was since the start, at least 1. */
  double factor() {
    return Double.isFinite(best) ? Math.max(1, best / IDLE_NANOS_PER_READ) : 1;
  }
}

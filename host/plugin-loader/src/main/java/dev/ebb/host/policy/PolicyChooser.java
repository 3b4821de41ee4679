package dev.ebb.host.policy;

/**
 * Chooses one of several policies by the hits that each of them would have had.
 *
 * <p>It compares sums of hits in which an access counts half as much after some time. Another
 * policy is chosen when its sum exceeds that of the chosen one by a margin. So the choice follows
 * changes of the workload, and ignores small or short differences.
 *
 * <p>Regret is the difference to the policy with the most hits since the start. While it exceeds a
 * bound, the chooser follows that policy alone, until the regret is half of the bound.
 */
final class PolicyChooser {

  /** Accesses after which an access counts half, in capacities of a cache. */
  private static final double HALF_LIFE = 16;

  /** The margin in hits, as a share of the capacity. */
  private static final double MARGIN = 0.01;

  private static final double LEAST_MARGIN = 64;

  /** What the margin grows by with the accesses that count. */
  private static final double MARGIN_SHARE = 0.02;

  /** What the regret may be in any case, in margins: all policies have to learn first. */
  private static final double EARLY = 4;

  private final double bound;
  private final double halfLife;
  private final double leastMargin;
  private final long[] hits;
  private final double[] lately;
  private double accessesLately;
  private long accesses;
  private long followed;
  private int choice;
  private boolean bounded;
  private long switches;

  /**
   * Creates a chooser that begins with the first policy.
   *
   * @param policies how many there are, at least 1
   * @param capacity the entries of the cache in which the hits are counted
   * @param bound the regret, as a share of all accesses, beyond which only the best policy counts
   */
  PolicyChooser(int policies, long capacity, double bound) {
    hits = new long[policies];
    lately = new double[policies];
    halfLife = HALF_LIFE * capacity;
    leastMargin = Math.max(LEAST_MARGIN, MARGIN * capacity);
    this.bound = bound;
  }

  /**
   * Counts some accesses, and perhaps chooses another policy.
   *
   * @param more how many
   * @param hitsOf what each policy would have hit
   * @return whether the choice is another one now
   */
  boolean count(long more, int[] hitsOf) {
    double decay = Math.pow(2, -more / halfLife);
    accesses += more;
    accessesLately = accessesLately * decay + more;
    followed += hitsOf[choice];
    for (int i = 0; i < hits.length; i++) {
      hits[i] += hitsOf[i];
      lately[i] = lately[i] * decay + hitsOf[i];
    }
    double most = bound * accesses + EARLY * leastMargin;
    bounded = regretHits() > (bounded ? most / 2 : most);
    int next = choice;
    for (int i = 0; i < hits.length; i++) {
      next = sum(i) > sum(next) ? i : next;
    }
    if (sum(next) - sum(choice) <= margin()) {
      return false;
    }
    choice = next;
    switches++;
    return true;
  }

  private double sum(int policy) {
    return bounded ? hits[policy] : lately[policy];
  }

  private double margin() {
    return leastMargin + (bounded ? 0 : MARGIN_SHARE * accessesLately);
  }

  private long regretHits() {
    long best = 0;
    for (long each : hits) {
      best = Math.max(best, each);
    }
    return best - followed;
  }

  int choice() {
    return choice;
  }

  /** Returns whether it follows the best policy since the start alone. */
  boolean bounded() {
    return bounded;
  }

  long switches() {
    return switches;
  }

  /** Returns the hit ratio of a policy since the start; NaN before the first access. */
  double hitRatio(int policy) {
    return (double) hits[policy] / accesses;
  }

  /** Returns the hit ratio of a policy lately; NaN before the first access. */
  double hitRatioLately(int policy) {
    return lately[policy] / accessesLately;
  }

  /** Returns the regret as a share of all accesses; NaN before the first access. */
  double regret() {
    return (double) regretHits() / accesses;
  }
}

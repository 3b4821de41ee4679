package dev.ebb.plugin.llm;

import dev.ebb.spi.EntryQueue;
import org.jspecify.annotations.Nullable;

/**
 * The entries whose last request was of one kind, in the order of use, and what is known of their
 * reuse. It begins with two imagined uses, of which one was followed by another.
 */
final class ReuseClass extends EntryQueue<TimedNode> {

  /**
   * The kind of a request.
   *
   * @param workload its label; null if it has none
   * @param turn 1 for the first turn, 2 for a later one, less if unknown
   * @param hint the caller's hint
   */
  record Key(@Nullable String workload, int turn, int hint) {}

  long uses = 2;
  long reuses = 1;
  double waitNanos;

  ReuseClass(double firstWaitNanos) {
    super("class");
    waitNanos = firstWaitNanos;
  }

  /** Returns the mean time from a use to the next, of those that had one. */
  double meanNanos() {
    return waitNanos / reuses;
  }

  /**
   * Returns the probability that an entry is used in the next time.
   *
   * @param idleNanos since its last use
   * @param lifeNanos the length of that next time
   */
  double probability(double idleNanos, double lifeNanos) {
    double mean = meanNanos();
    if (mean <= 0) {
      return 0;
    }
    return (double) reuses
        / uses
        * (Math.exp(-idleNanos / mean) - Math.exp(-(idleNanos + lifeNanos) / mean));
  }
}

package dev.ebb.plugin.llm;

import dev.ebb.spi.EntryQueue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries whose last request was of one kind, in the order of use, and what is known of their
 * reuse. It begins with two imagined uses, of which one was followed by another.
 */
final class ReuseClass extends EntryQueue<TimedNode> {

  /** Requests after which all counts are halved, so that old ones fade. */
  static final int MOST_REQUESTS = 1_000;

  static final double FIRST_WAIT_NANOS = 60e9;

  /** Its place among the classes. */
  final int index;

  private final @Nullable String workload;
  private final int turn;
  private final int hint;
  private final @Nullable String finishReason;

  private int requests;
  private double uses = 2;
  private double reuses = 1;
  private double waitNanos = FIRST_WAIT_NANOS;

  /** Creates a class without entries for the kind of a request. */
  ReuseClass(
      int index, @Nullable String workload, int turn, int hint, @Nullable String finishReason) {
    super("class");
    this.index = index;
    this.workload = workload;
    this.turn = turn;
    this.hint = hint;
    this.finishReason = finishReason;
  }

  boolean isOf(@Nullable String workload, int turn, int hint, @Nullable String finishReason) {
    return turn == this.turn
        && hint == this.hint
        && Objects.equals(workload, this.workload)
        && Objects.equals(finishReason, this.finishReason);
  }

  /** Counts the uses by one request. */
  void used(int count) {
    uses += count;
    if (++requests == MOST_REQUESTS) {
      requests /= 2;
      uses /= 2;
      reuses /= 2;
      waitNanos /= 2;
    }
  }

  /**
   * Counts a use that was followed by another one.
   *
   * @param nanos the time until then
   */
  void reused(long nanos) {
    reuses++;
    waitNanos += Math.max(0, nanos);
  }

  /** Returns the share of uses that are followed by another one. */
  double reuseRatio() {
    return Math.min(1, reuses / uses);
  }

  /** Returns the mean time from a use to the next, of those that had one. */
  double meanNanos() {
    return waitNanos / reuses;
  }

  /**
   * Returns the probability that an entry is used in the next time, given that it was not used
   * since its last use.
   *
   * @param idleNanos since its last use
   * @param lifeNanos the length of that next time
   */
  double probability(double idleNanos, double lifeNanos) {
    double mean = meanNanos();
    if (mean <= 0) {
      return 0;
    }
    double ratio = reuseRatio();
    double left = ratio * Math.exp(-idleNanos / mean);
    double unused = 1 - ratio + left;
    return unused <= 0 ? 0 : left * -Math.expm1(-lifeNanos / mean) / unused;
  }
}

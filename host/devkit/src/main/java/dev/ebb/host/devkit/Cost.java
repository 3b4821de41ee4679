package dev.ebb.host.devkit;

import java.util.Locale;

/**
 * The cost of a block policy, next to {@code lru} in the same run. Nanoseconds; NaN if not
 * measured.
 *
 * @param nanosPerAccess one use of a resident entry
 * @param nanosPerReplacement one eviction and one insertion
 * @param slowestNanos the processor time of the slowest single call of {@code victim}, {@code
 *     removed} or {@code inserted}
 * @param budgetNanos the policy's own budget for a replacement
 * @param load how many times slower than idle the machine was meanwhile, at least 1
 */
public record Cost(
    String policy,
    int residents,
    double nanosPerAccess,
    double lruNanosPerAccess,
    double nanosPerReplacement,
    double lruNanosPerReplacement,
    double slowestNanos,
    double budgetNanos,
    double load) {

  /**
   * The time in which an engine computes a block of 16 tokens of a model with 8 billion weights.
   */
  static final double PREFILL_NANOS = 1_000_000;

  /** A block is used more often than it is evicted. */
  private static final double DEAR_ACCESS_NANOS = PREFILL_NANOS / 10;

  /** Returns whether an eviction takes longer than computing the block that it decides on. */
  boolean isRuinous() {
    return nanosPerAccess > DEAR_ACCESS_NANOS * load || nanosPerReplacement > PREFILL_NANOS * load;
  }

  boolean isOverBudget() {
    return nanosPerAccess > budgetNanos * load || nanosPerReplacement > budgetNanos * load;
  }

  String text() {
    return String.format(
        Locale.ROOT,
        "with %,d residents an access takes %,.0f ns (lru: %,.0f) and a replacement %,.0f ns"
            + " (lru: %,.0f), %.1f %% of the time to compute a block of 16 tokens%s",
        residents,
        nanosPerAccess,
        lruNanosPerAccess,
        nanosPerReplacement,
        lruNanosPerReplacement,
        100 * nanosPerReplacement / PREFILL_NANOS,
        load > 1 ? String.format(Locale.ROOT, "; the machine was %.1f times slower", load) : "");
  }
}

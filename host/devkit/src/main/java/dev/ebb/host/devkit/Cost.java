package dev.ebb.host.devkit;

/**
 * The cost of a block policy, next to {@code lru} in the same run. Nanoseconds; NaN if not
 * measured.
 *
 * @param nanosPerAccess one use of a resident entry
 * @param nanosPerReplacement one eviction and one insertion
 */
public record Cost(
    String policy,
    int residents,
    double nanosPerAccess,
    double lruNanosPerAccess,
    double nanosPerReplacement,
    double lruNanosPerReplacement) {

  /** A policy slower than this, and than so many times {@code lru}, would slow down its host. */
  private static final double DEAR_NANOS = 10_000;

  private static final double DEAR_TIMES = 50;

  boolean tooDear() {
    return tooDear(nanosPerAccess, lruNanosPerAccess)
        || tooDear(nanosPerReplacement, lruNanosPerReplacement);
  }

  private static boolean tooDear(double nanos, double lru) {
    return nanos > DEAR_NANOS && !(nanos <= DEAR_TIMES * lru);
  }
}

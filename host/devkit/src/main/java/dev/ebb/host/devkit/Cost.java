package dev.ebb.host.devkit;

/**
 * What a block policy costs beside {@code lru} in the same run. Nanoseconds; NaN where it was not
 * measured.
 *
 * @param policy the policy's name
 * @param residents entries it held
 * @param nanosPerAccess one use of a resident entry
 * @param lruNanosPerAccess the same of {@code lru}
 * @param nanosPerReplacement one entry leaves and another enters
 * @param lruNanosPerReplacement the same of {@code lru}
 */
public record Cost(
    String policy,
    int residents,
    double nanosPerAccess,
    double lruNanosPerAccess,
    double nanosPerReplacement,
    double lruNanosPerReplacement) {

  /** Dearer than this, and than so many times {@code lru}, it would hold up its host. */
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

package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import java.util.List;

/**
 * Chooses the sampling rate if none is configured.
 *
 * <p>A memory curve has its own rules. A small cache needs a higher rate than a large one for the
 * same number of entries, and so for the same error. The lower the cost of a live access, the lower
 * must the rate be: entries are sampled at a rate that grows with their size.
 *
 * @param entries the target number of sampled entries of a cache as large as the live one
 * @param curve whether it is for a memory curve; candidates all have the same rate
 */
record Rates(double entries, boolean curve) {

  /** Enough for an error of half a percentage point, at a cost of a few megabytes. */
  static final Rates CANDIDATES = new Rates(8_192, false);

  /** With small values, all simulations of a curve take 1 % of the server's time at this rate. */
  private static final double HIGHEST_OF_SMALL = 1.0 / 64;

  /** Moving so many bytes costs as much as the rest of an access. */
  private static final double SMALL_BYTES = 64 << 10;

  /** So many sampled entries cost little in all. */
  private static final double FEWEST_ENTRIES = 256;

  /** The assumed entry size of an empty cache. */
  private static final double USUAL_BLOCKS = 64;

  /**
   * Returns a power of two with which a shadow cache holds between half and all of the target
   * number of entries.
   */
  double fitting(List<PolicyPlace> places) {
    double full = Math.max(1, full(places));
    double wanted = Math.min(most(places, full), entries / full);
    double rate = 1;
    while (rate > wanted) {
      rate /= 2;
    }
    return rate;
  }

  private double most(List<PolicyPlace> places, double full) {
    if (!curve) {
      return 1;
    }
    double bytes = places.stream().mapToLong(PolicyPlace::capacityBytes).sum() / full;
    double cheap = HIGHEST_OF_SMALL * Math.max(1, bytes / SMALL_BYTES);
    return Math.min(1, Math.max(cheap, FEWEST_ENTRIES / full));
  }

  /**
   * Returns the rate for a simulated cache.
   *
   * @param rate that for a cache as large as the live one
   * @param memory its size, as a multiple of the live cache
   */
  double of(double rate, double memory) {
    if (!curve) {
      return rate;
    }
    return Math.min(1, rate / Math.min(1, memory));
  }

  /** Returns whether a confidence interval is wanted: a curve counts the hits of the live cache. */
  boolean isGrouped(double memory) {
    return !curve || memory != 1;
  }

  /** Returns whether another rate would fit far better, because the entry size has changed. */
  boolean isOff(double rate, List<PolicyPlace> places) {
    double fitting = fitting(places);
    return fitting <= rate / 4 || fitting >= rate * 4;
  }

  /** Returns how many entries the cache holds when it is full. */
  private static double full(List<PolicyPlace> places) {
    double full = 0;
    for (PolicyPlace place : places) {
      int entries = place.residentEntries();
      double each = entries == 0 ? USUAL_BLOCKS : (double) place.residentBlocks() / entries;
      full += place.capacityBlocks() / Math.max(1, each);
    }
    return full;
  }
}

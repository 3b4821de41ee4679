package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import java.util.List;

/**
 * Chooses the sampling rate if none is configured.
 *
 * @param entries the target number of sampled entries of a cache as large as the live one
 * @param most the highest rate
 */
record Rates(double entries, double most) {

  /** Enough for an error of half a percentage point, at a cost of a few megabytes. */
  static final Rates CANDIDATES = new Rates(8_192, 1);

  /** The assumed entry size of an empty cache. */
  private static final double USUAL_BLOCKS = 64;

  /**
   * Returns a power of two with which a shadow cache holds between half and all of the target
   * number of entries.
   */
  double fitting(List<PolicyPlace> places) {
    double wanted = Math.min(most, entries / Math.max(1, full(places)));
    double rate = 1;
    while (rate > wanted) {
      rate /= 2;
    }
    return rate;
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

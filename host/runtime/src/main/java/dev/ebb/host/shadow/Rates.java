package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import java.util.List;

/** How much of the traffic to sample, if nobody says. */
final class Rates {

  /** As many entries as a sample is to hold: enough for half a point, and a few megabytes. */
  private static final double ENTRIES = 8_192;

  /** What an entry of an empty cache is taken to weigh. */
  private static final double USUAL_BLOCKS = 64;

  private Rates() {}

  /**
   * Returns a power of two: the cache of a candidate then holds half the number wanted, up to all.
   */
  static double fitting(List<PolicyPlace> places) {
    double wanted = ENTRIES / Math.max(1, entries(places));
    double rate = 1;
    while (rate > wanted) {
      rate /= 2;
    }
    return rate;
  }

  /**
   * Returns whether another rate would fit far better, since entries have become larger or smaller.
   */
  static boolean isOff(double rate, List<PolicyPlace> places) {
    double fitting = fitting(places);
    return fitting <= rate / 4 || fitting >= rate * 4;
  }

  /** Returns how many entries the cache holds when it is full. */
  private static double entries(List<PolicyPlace> places) {
    double full = 0;
    for (PolicyPlace place : places) {
      int entries = place.residentEntries();
      double each = entries == 0 ? USUAL_BLOCKS : (double) place.residentBlocks() / entries;
      full += place.capacityBlocks() / Math.max(1, each);
    }
    return full;
  }
}

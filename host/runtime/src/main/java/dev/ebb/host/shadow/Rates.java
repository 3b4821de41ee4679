package dev.ebb.host.shadow;

import java.util.List;

/** How much of the traffic to sample, if nobody says. */
final class Rates {

  /** As many entries as a sample is to hold: enough for half a point, and a few megabytes. */
  private static final double ENTRIES = 8_192;

  /** What an entry of an empty cache is taken to weigh. */
  private static final double USUAL_BLOCKS = 64;

  private Rates() {}

  /** A power of two: the cache of a candidate then holds half the number wanted, up to all. */
  static double fitting(List<ShadowedCache.Part> parts) {
    double wanted = ENTRIES / Math.max(1, entries(parts));
    double rate = 1;
    while (rate > wanted) {
      rate /= 2;
    }
    return rate;
  }

  /** Whether another rate would fit far better, since entries have become larger or smaller. */
  static boolean isOff(double rate, List<ShadowedCache.Part> parts) {
    double fitting = fitting(parts);
    return fitting <= rate / 4 || fitting >= rate * 4;
  }

  /** How many entries the cache holds when it is full. */
  private static double entries(List<ShadowedCache.Part> parts) {
    double full = 0;
    for (ShadowedCache.Part part : parts) {
      double each =
          part.entries() == 0 ? USUAL_BLOCKS : (double) part.residentBlocks() / part.entries();
      full += part.capacityBlocks() / Math.max(1, each);
    }
    return full;
  }
}

package dev.ebb.plugin.predictive;

import dev.ebb.spi.Settings;

/**
 * The settings of the predictive policy.
 *
 * @param hint whether it learns from callers' hints too
 * @param admission whether it keeps a victim rather than a new block with a lower index
 * @param tolerance the share of recent blocks that it may lose to LRU
 * @param samples leaves drawn for each choice of victims
 * @param ghosts removed blocks to remember, as a multiple of the capacity
 * @param leastGhosts the minimum number of removed blocks to remember
 * @param halfLife requests after which an observation weighs half
 * @param prior how strongly a multiplier is drawn towards 1
 */
record PredictiveSettings(
    FactorSet factors,
    boolean hint,
    boolean admission,
    double tolerance,
    int samples,
    double ghosts,
    long leastGhosts,
    double halfLife,
    double prior) {

  static PredictiveSettings read(Settings settings) {
    return new PredictiveSettings(
        settings.choice("factors", FactorSet.SIP_7),
        settings.flag("hint", true),
        settings.flag("admission", true),
        settings.number("tolerance", 0.0002, 0, 1),
        (int) settings.integer("samples", 64, 1, 1 << 24),
        settings.number("ghosts", 8, 0, 1024),
        settings.integer("least-ghosts", 32_768, 0, 1 << 28),
        settings.number("half-life", 5000, 1, 1e12),
        settings.number("prior", 100, 1, 1e9));
  }

  /** Returns the number of ghosts for a capacity in blocks. */
  long ghostLimit(long capacityBlocks) {
    return Math.max(leastGhosts, (long) (ghosts * capacityBlocks));
  }

  /** Returns the remaining weight of an observation after some requests. */
  double decayPer(int requests) {
    return Math.pow(0.5, requests / halfLife);
  }
}

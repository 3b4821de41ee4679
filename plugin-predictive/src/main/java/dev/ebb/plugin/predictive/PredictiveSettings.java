package dev.ebb.plugin.predictive;

import dev.ebb.spi.Settings;

/**
 * What users can set of the predictive policy.
 *
 * @param factors what the model learns from
 * @param hint whether it learns from callers' hints too
 * @param samples leaves drawn for each choice of victims
 * @param ghosts blocks that left and are remembered, as a multiple of the capacity
 * @param leastGhosts how many are remembered at least, however small the capacity
 * @param halfLife requests after which a lesson weighs half
 * @param prior how strongly a multiplier is drawn towards 1
 */
record PredictiveSettings(
    FactorSet factors,
    boolean hint,
    int samples,
    double ghosts,
    long leastGhosts,
    double halfLife,
    double prior) {

  /** Reads the settings. */
  static PredictiveSettings read(Settings settings) {
    return new PredictiveSettings(
        settings.choice("factors", FactorSet.SIP_6),
        settings.flag("hint", true),
        (int) settings.integer("samples", 64, 1, 1 << 24),
        settings.number("ghosts", 8, 0, 1024),
        settings.integer("least-ghosts", 32_768, 0, 1 << 28),
        settings.number("half-life", 5000, 1, 1e12),
        settings.number("prior", 100, 1, 1e9));
  }

  /** How many ghosts a capacity in blocks allows. */
  long ghostLimit(long capacityBlocks) {
    return Math.max(leastGhosts, (long) (ghosts * capacityBlocks));
  }

  /** What is left of a lesson after some requests. */
  double decayPer(int requests) {
    return Math.pow(0.5, requests / halfLife);
  }
}

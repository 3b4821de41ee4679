package dev.ebb.host.admin.rollout;

import dev.ebb.host.shadow.ShadowReport;
import org.jspecify.annotations.Nullable;

/**
 * A policy, or the JARs of the plugin folder, that a node tries before the others.
 *
 * @param state {@code running}, {@code kept}, {@code reverted} or {@code overridden}
 * @param reason why it goes back, or went back; null if it does not
 * @param failure why it could not go back, which the node tries again; null if it could
 * @param secondsLeft until it goes back by itself; 0 if it has ended
 * @param shadow the estimate for the policy before, on the same requests; null if there is none
 */
public record CanaryDocument(
    long id,
    String policy,
    String before,
    String state,
    @Nullable String reason,
    @Nullable String failure,
    long secondsLeft,
    Traffic traffic,
    @Nullable Shadow shadow) {

  /**
   * The requests of a node.
   *
   * @param prefixLookups chunks of prompts
   * @param prefixHits those that clients found with all chunks before them
   * @param requests values that clients requested
   * @param hits those that they received
   */
  public record Traffic(long prefixLookups, long prefixHits, long requests, long hits) {

    Traffic since(Traffic start) {
      return new Traffic(
          prefixLookups - start.prefixLookups,
          prefixHits - start.prefixHits,
          requests - start.requests,
          hits - start.hits);
    }
  }

  /**
   * An estimate for the policy before, and for the same requests the ratios of the node.
   *
   * @param prefixHitRatio null without prompts
   * @param livePrefixHitRatio null without prompts
   */
  public record Shadow(
      boolean enough,
      double hitRatio,
      double liveHitRatio,
      @Nullable Double prefixHitRatio,
      @Nullable Double livePrefixHitRatio) {

    static @Nullable Shadow of(ShadowReport report) {
      return report.estimate() == null
          ? null
          : new Shadow(
              report.enough(),
              report.estimate().hitRatio(),
              report.estimate().liveHitRatio(),
              known(report.estimate().prefixHitRatio()),
              known(report.estimate().livePrefixHitRatio()));
    }

    private static @Nullable Double known(double ratio) {
      return Double.isNaN(ratio) ? null : ratio;
    }
  }
}

package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

/**
 * An estimate of a shadow policy's hit ratio, from a sample.
 *
 * <p>The estimate is the live cache's known hit ratio plus the sampled difference between shadow
 * and live hits. The difference is divided by the expected sample size (the SHARDS adjustment). A
 * sample with too many popular keys biases both hit counts alike, so most of this error cancels. A
 * sample of whole prompts has its own size, because that may be far from the expected one.
 *
 * <p>The confidence interval is computed over groups of keys, because accesses to one key are
 * correlated. Each group has its own smaller cache, and Student's t is applied to the differences
 * between groups. The interval is widened by the distance between the groups' mean and the large
 * cache, and by half a percentage point.
 *
 * @param low lower end of the 95 % confidence interval
 * @param low99 lower end of the 99 % confidence interval
 * @param hitBytes bytes that would have been served, by the same correction
 * @param prefixHitRatio hit ratio of the blocks of requests, by the same correction; NaN without
 *     requests
 */
public record Estimate(
    double hitRatio,
    double low,
    double high,
    double low99,
    double liveHitRatio,
    double hitBytes,
    double prefixHitRatio,
    double livePrefixHitRatio) {

  /** Student's t for seven degrees of freedom and a two-sided 95 % interval. */
  private static final double T = 2.365;

  /** The same of a 99 % interval. */
  private static final double T_99 = 3.499;

  private static final double OF_SCALE = 0.005;

  static Estimate of(Counts counts, double rate) {
    double live = (double) counts.hits / counts.accesses;
    double expected = counts.prompts ? Math.max(1, counts.sampled) : counts.accesses * rate;
    double share = counts.prompts ? expected / counts.accesses : rate;
    double difference = (counts.ownHits - counts.liveHits) / expected;
    double[] groups = new double[GROUPS];
    double mean = 0;
    for (int i = 0; i < GROUPS; i++) {
      groups[i] = (counts.groupOwnHits[i] - counts.groupLiveHits[i]) * GROUPS / expected;
      mean += groups[i] / GROUPS;
    }
    double squares = 0;
    for (double group : groups) {
      squares += (group - mean) * (group - mean);
    }
    double error = Math.sqrt(squares / (GROUPS - 1) / GROUPS * (1 - rate));
    double scale = rate == 1 ? 0 : OF_SCALE + 2 * Math.abs(mean - difference) / (GROUPS - 1);
    double ratio = Math.clamp(live + difference, 0, 1);
    return new Estimate(
        ratio,
        Math.clamp(live + difference - T * error - scale, 0, 1),
        Math.clamp(live + difference + T * error + scale, 0, 1),
        Math.clamp(live + difference - T_99 * error - scale, 0, 1),
        live,
        Math.max(0, counts.hitBytes + (counts.ownHitBytes - counts.liveHitBytes) / share),
        prefix(counts, share),
        (double) counts.prefixHits / counts.prefixAccesses);
  }

  private static double prefix(Counts counts, double share) {
    double hits = counts.prefixHits + (counts.ownPrefixHits - counts.livePrefixHits) / share;
    return Math.clamp(hits / counts.prefixAccesses, 0, 1);
  }
}

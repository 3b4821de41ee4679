package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

/**
 * A candidate's hit ratio, from a sample.
 *
 * <p>The live cache's hit ratio is known, and so is what it made of the sampled accesses. What the
 * candidate hits more or less of these, in relation to how many a sample of this size has on
 * average (the correction that SHARDS calls adjustment), is added to it. Both err alike where the
 * sample has more of the popular keys than its share, so that most of the error cancels.
 *
 * <p>All uses of a key are in the sample or none, so accesses are no independent draws, but groups
 * of keys are: each group has a smaller cache of its own, and how much their differences vary gives
 * the band by Student's t. Added to it is what the scale may do: how far the mean of the smaller
 * caches is from the large one tells how the answer changes with the size, and half a point is left
 * for what does not show there.
 *
 * @param hitRatio 0 to 1
 * @param low lower end of the band, in which the true value lies 19 times in 20
 * @param high upper end
 * @param liveHitRatio of the live cache in the same while
 * @param hitBlocks blocks that would have been served, by the same correction
 */
public record Estimate(
    double hitRatio, double low, double high, double liveHitRatio, double hitBlocks) {

  /** Student's t for seven degrees of freedom, both tails together 5 %. */
  private static final double T = 2.365;

  private static final double OF_SCALE = 0.005;

  static Estimate of(Counts counts, double rate) {
    double live = (double) counts.hits / counts.accesses;
    double expected = counts.accesses * rate;
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
    double chance = T * Math.sqrt(squares / (GROUPS - 1) / GROUPS * (1 - rate));
    double scale = rate == 1 ? 0 : OF_SCALE + 2 * Math.abs(mean - difference) / (GROUPS - 1);
    double ratio = Math.clamp(live + difference, 0, 1);
    return new Estimate(
        ratio,
        Math.clamp(live + difference - chance - scale, 0, 1),
        Math.clamp(live + difference + chance + scale, 0, 1),
        live,
        Math.max(0, counts.hitBlocks + (counts.ownHitBlocks - counts.liveHitBlocks) / rate));
  }
}

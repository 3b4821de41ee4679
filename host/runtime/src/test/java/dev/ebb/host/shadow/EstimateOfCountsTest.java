package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The arithmetic of an estimate; its accuracy on traces is tested with the replay. */
class EstimateOfCountsTest {

  private static final int SEEDS = 2_000;
  private static final int GROUPS = Sampling.GROUPS;

  /** Any counts that a sample of a cache can have. */
  private static Counts any(Random random, double rate) {
    Counts counts = new Counts();
    counts.accesses = 1L + random.nextInt(100_000);
    counts.hits = random.nextLong(counts.accesses + 1);
    counts.hitBytes = counts.hits * (1 + random.nextInt(3));
    int each = (int) (counts.accesses * rate / GROUPS);
    for (int i = 0; i < GROUPS; i++) {
      counts.groupLiveHits[i] = random.nextInt(each + 1);
      counts.groupOwnHits[i] = random.nextInt(each + 1);
      counts.liveHits += counts.groupLiveHits[i];
      counts.ownHits += counts.groupOwnHits[i];
    }
    counts.liveHitBytes = counts.liveHits;
    counts.ownHitBytes = counts.ownHits;
    counts.sampled = (long) each * GROUPS;
    return counts;
  }

  @Test
  void anEstimateIsARatioInsideItsInterval() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      double rate = 1.0 / (1 << random.nextInt(8));
      Estimate estimate = Estimate.of(any(random, rate), rate);
      assertThat(estimate.low()).as("seed %d", seed).isBetween(0.0, estimate.hitRatio());
      assertThat(estimate.high()).as("seed %d", seed).isBetween(estimate.hitRatio(), 1.0);
      assertThat(estimate.hitBytes()).as("seed %d", seed).isNotNegative();
    }
  }

  @Test
  void aPolicyThatHitsWhatTheLiveCacheHitsHasItsRatio() {
    Counts counts = new Counts();
    counts.accesses = 10_000;
    counts.hits = 4_000;
    counts.hitBytes = 9_000;
    counts.liveHits = counts.ownHits = 700;
    counts.liveHitBytes = counts.ownHitBytes = 1_500;

    Estimate estimate = Estimate.of(counts, 0.125);

    assertThat(estimate.hitRatio()).isEqualTo(0.4);
    assertThat(estimate.liveHitRatio()).isEqualTo(0.4);
    assertThat(estimate.hitBytes()).isEqualTo(9_000);
    // The half percentage point that no sample goes below.
    assertThat(estimate.low()).isCloseTo(0.395, within(1e-12));
    assertThat(estimate.high()).isCloseTo(0.405, within(1e-12));
  }

  @Test
  void theSampledDifferenceIsScaledToAllAccesses() {
    Counts counts = new Counts();
    counts.accesses = 8_000;
    counts.hits = 2_000;
    counts.hitBytes = 2_000;
    counts.liveHits = 200;
    counts.ownHits = 300;
    counts.liveHitBytes = 200;
    counts.ownHitBytes = 300;

    Estimate estimate = Estimate.of(counts, 0.125);

    assertThat(estimate.hitRatio()).isCloseTo(0.25 + 0.1, within(1e-12));
    assertThat(estimate.hitBytes()).isCloseTo(2_800, within(1e-9));
  }

  @Test
  void aPopularKeyInTheSampleCancels() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Counts counts = any(random, 0.125);
      double before = Estimate.of(counts, 0.125).hitRatio();
      int popular = random.nextInt(100_000);
      counts.liveHits += popular;
      counts.ownHits += popular;
      int group = random.nextInt(GROUPS);
      counts.groupLiveHits[group] += popular;
      counts.groupOwnHits[group] += popular;
      assertThat(Estimate.of(counts, 0.125).hitRatio()).isCloseTo(before, within(1e-9));
    }
  }

  @Test
  void aSampleOfEverythingIsExact() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Counts counts = any(new Random(seed), 1);
      counts.hits = counts.liveHits;
      Estimate estimate = Estimate.of(counts, 1);
      double exact = (double) counts.ownHits / counts.accesses;
      assertThat(estimate.hitRatio()).isCloseTo(exact, within(1e-12));
      assertThat(estimate.low()).isEqualTo(estimate.hitRatio());
      assertThat(estimate.high()).isEqualTo(estimate.hitRatio());
    }
  }

  /** Groups whose differences scatter about a true one, as those of independent keys do. */
  @Test
  void theIntervalHoldsTheTruthNineteenTimesInTwenty() {
    int held = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Counts counts = new Counts();
      counts.accesses = 1_000_000;
      counts.hits = 500_000;
      double rate = 0.1;
      double each = counts.accesses * rate / GROUPS;
      double truth = 0.02;
      for (int i = 0; i < GROUPS; i++) {
        long difference = Math.round(each * (truth + 0.05 * random.nextGaussian()));
        counts.groupOwnHits[i] = difference;
        counts.ownHits += difference;
      }
      Estimate estimate = Estimate.of(counts, rate);
      held += estimate.low() <= 0.5 + truth && 0.5 + truth <= estimate.high() ? 1 : 0;
    }
    assertThat((double) held / SEEDS).isBetween(0.94, 0.99);
  }

  @Test
  void theIntervalIsWiderWhereTheSmallCachesDisagreeWithTheLargeOne() {
    Counts counts = new Counts();
    counts.accesses = 8_000;
    counts.hits = 4_000;
    counts.ownHits = 100;
    Estimate apart = Estimate.of(counts, 0.125);
    Arrays.fill(counts.groupOwnHits, 100 / GROUPS);
    counts.ownHits = 100 / GROUPS * GROUPS;
    Estimate together = Estimate.of(counts, 0.125);
    assertThat(apart.high() - apart.low()).isGreaterThan(2 * (together.high() - together.low()));
  }
}

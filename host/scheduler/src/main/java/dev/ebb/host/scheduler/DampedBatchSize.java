package dev.ebb.host.scheduler;

/**
 * Additive increase and multiplicative decrease, with hysteresis and a test of each decrease.
 *
 * <p>If more than a fifth of the evicted blocks is requested again, and running requests use at
 * least half of the memory, a quarter fewer requests run. After a few intervals the tokens served
 * per second are compared: if they have not grown, the limit is restored, and the next attempt is
 * made later each time. Until then, and below a tenth, more run if requests wait because of the
 * limit. The rates are averages over some intervals.
 */
public final class DampedBatchSize implements BatchSizeController {

  private static final double UPPER = 0.2;
  private static final double LOWER = 0.1;
  private static final double LEAST_OCCUPANCY = 0.5;
  private static final double FULL = 0.95;

  /** The weight of the past in the averages: half of it is gone after two intervals. */
  private static final double DECAY = 0.7;

  /** Evictions, in average, for a meaningful rate. */
  private static final double FEW = 16;

  /** Intervals of a test, of which the last ones count. */
  private static final int TEST = 6;

  private static final int COUNTED = 4;

  /** Intervals before the first decrease. */
  private static final int START = 10;

  private static final int SHORTEST_PAUSE = 30;
  private static final int LONGEST_PAUSE = 960;

  private double evictions;
  private double requestedAgain;
  private double served;
  private int testing;
  private int limitBefore;
  private double servedBefore;
  private double servedInTest;
  private int pause = START;
  private int nextPause = SHORTEST_PAUSE;

  @Override
  public BatchSizeDecision next(BatchObservation seen) {
    evictions = DECAY * evictions + seen.evictions();
    requestedAgain = DECAY * requestedAgain + seen.requestedAgain();
    double rate = evictions < FEW ? 0 : Math.min(1, requestedAgain / evictions);
    pause = Math.max(0, pause - 1);
    BatchSizeDecision decision = testing > 0 ? test(seen) : decide(seen, rate);
    served = DECAY * served + (1 - DECAY) * seen.servedRate();
    return decision;
  }

  private BatchSizeDecision test(BatchObservation seen) {
    testing--;
    servedInTest += testing < COUNTED ? seen.servedRate() / COUNTED : 0;
    if (testing > 0) {
      return seen.decide(seen.limit(), "the effect of the last decrease is measured");
    }
    if (servedInTest > servedBefore) {
      nextPause = SHORTEST_PAUSE;
      return seen.decide(
          seen.limit(),
          "it serves %.0f tokens per second, %.0f before",
          servedInTest,
          servedBefore);
    }
    pause = nextPause;
    nextPause = Math.min(2 * nextPause, LONGEST_PAUSE);
    return seen.decide(
        limitBefore,
        "fewer requests served %.0f tokens per second, %.0f before",
        servedInTest,
        servedBefore);
  }

  private BatchSizeDecision decide(BatchObservation seen, double rate) {
    if (rate > UPPER && seen.occupancy() >= LEAST_OCCUPANCY && seen.limit() > 1) {
      return pause > 0 ? more(seen, rate) : fewer(seen, rate);
    }
    if (seen.limit() == seen.most()) {
      return seen.decide(
          seen.limit(),
          "the limit is the largest, with a re-prefill rate of %.1f %% and an occupancy of %.1f %%",
          100 * rate,
          100 * seen.occupancy());
    }
    if (rate > LOWER && seen.occupancy() >= LEAST_OCCUPANCY) {
      return seen.decide(
          seen.limit(),
          "re-prefill rate %.1f %% is between %.1f %% and %.1f %%",
          100 * rate,
          100 * LOWER,
          100 * UPPER);
    }
    return more(seen, rate);
  }

  private BatchSizeDecision fewer(BatchObservation seen, double rate) {
    testing = TEST;
    limitBefore = seen.limit();
    servedBefore = served;
    servedInTest = 0;
    return seen.decide(
        Math.min(seen.limit(), seen.running()) * 3 / 4,
        "re-prefill rate %.1f %% is above %.1f %%, with %.0f evictions per second",
        100 * rate,
        100 * UPPER,
        seen.evictionRate());
  }

  private static BatchSizeDecision more(BatchObservation seen, double rate) {
    if (!seen.isLimited()) {
      return seen.decide(seen.limit(), "no request waits because of the limit");
    }
    if (seen.occupancy() > FULL) {
      return seen.decide(
          seen.limit(), "occupancy %.1f %% is above %.1f %%", 100 * seen.occupancy(), 100 * FULL);
    }
    return seen.decide(
        seen.limit() + Math.max(1, seen.limit() / 16),
        "re-prefill rate is %.1f %%, occupancy %.1f %%, and %d requests wait",
        100 * rate,
        100 * seen.occupancy(),
        seen.queued() + seen.preempted());
  }
}

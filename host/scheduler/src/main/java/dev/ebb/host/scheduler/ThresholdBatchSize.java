package dev.ebb.host.scheduler;

/**
 * A plain rule on the last interval: a fifth fewer requests if too many evicted blocks are
 * requested again, one more if memory is left. It reacts quickly, and oscillates around the bound.
 *
 * @param mostRePrefill the bound of the share of evicted blocks that are requested again, 0 to 1
 * @param fullOccupancy the occupancy above which no request is added, 0 to 1
 */
public record ThresholdBatchSize(double mostRePrefill, double fullOccupancy)
    implements BatchSizeController {

  /** At most 20 % of the evicted blocks are requested again, and 90 % of the memory is used. */
  public static final ThresholdBatchSize DEFAULT = new ThresholdBatchSize(0.2, 0.9);

  @Override
  public BatchSizeDecision next(BatchObservation seen) {
    double again =
        seen.evictions() == 0 ? 0 : Math.min(1, (double) seen.requestedAgain() / seen.evictions());
    if (again > mostRePrefill) {
      int fewer = Math.min(seen.limit(), seen.running()) * 4 / 5;
      return seen.decide(
          fewer, "re-prefill rate %.1f %% is above %.1f %%", 100 * again, 100 * mostRePrefill);
    }
    if (seen.occupancy() < fullOccupancy) {
      return seen.decide(
          seen.limit() + 1,
          "occupancy %.1f %% is below %.1f %%",
          100 * seen.occupancy(),
          100 * fullOccupancy);
    }
    return seen.decide(seen.limit(), "occupancy is %.1f %%", 100 * seen.occupancy());
  }
}

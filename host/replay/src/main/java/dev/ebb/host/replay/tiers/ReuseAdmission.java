package dev.ebb.host.replay.tiers;

import java.util.function.DoubleSupplier;

/**
 * Writes the blocks that are most likely to be requested again, as many as a share of all. Learns
 * from what became of earlier ones with the same profile, written or not.
 */
final class ReuseAdmission implements DiskAdmission {

  private static final int RECENT = 1_024;

  /** How many blocks outweigh what is known of a coarser class. */
  private static final double PRIOR = 20;

  private final DoubleSupplier share;
  private final double[] decided = new double[UseProfile.COUNT];
  private final double[] returned = new double[UseProfile.COUNT];
  private final double[] coarseDecided = new double[UseProfile.COARSE];
  private final double[] coarseReturned = new double[UseProfile.COARSE];

  /** The values of the last blocks, in a ring. */
  private final double[] recent = new double[RECENT];

  private long decisions;

  /** Blocks written beyond the share. */
  private double surplus;

  /**
   * Creates a rule that knows nothing.
   *
   * @param share how many of the blocks to write, 0 to 1; may change
   */
  ReuseAdmission(DoubleSupplier share) {
    this.share = share;
  }

  @Override
  public boolean admits(TieredBlock block) {
    double value = probability(block.profile) + tieBreaker(block.request);
    decided[block.profile]++;
    coarseDecided[UseProfile.coarse(block.profile)]++;
    double wanted = share.getAsDouble();
    int known = (int) Math.min(decisions, RECENT);
    boolean best = lower(value, known) >= (1 - wanted + surplus / RECENT) * known;
    recent[(int) (decisions++ % RECENT)] = value;
    surplus = Math.max(-RECENT, surplus - wanted);
    return best;
  }

  private double probability(int profile) {
    int coarse = UseProfile.coarse(profile);
    double prior = (coarseReturned[coarse] + 1) / (coarseDecided[coarse] + 1);
    return (returned[profile] + PRIOR * prior) / (decided[profile] + PRIOR);
  }

  /** Orders equal blocks by request, because only a whole prefix is of use. */
  private static double tieBreaker(long request) {
    return ((request * 0x9E3779B97F4A7C15L) >>> 11) * 0x1p-53 * 1e-9;
  }

  private int lower(double value, int known) {
    int lower = 0;
    for (int i = 0; i < known; i++) {
      lower += recent[i] < value ? 1 : 0;
    }
    return lower;
  }

  @Override
  public void written() {
    surplus = Math.min(RECENT, surplus + 1);
  }

  @Override
  public void requestedAgain(int profile) {
    returned[profile]++;
    coarseReturned[UseProfile.coarse(profile)]++;
  }
}

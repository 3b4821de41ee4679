package dev.ebb.host.admission;

import java.util.function.DoubleSupplier;

/**
 * Admits the values that are most likely to be requested again, as many as a share of all. Learns
 * from what became of earlier ones of the same class, written or not. Thread-safe.
 */
final class ReuseAdmission implements WriteAdmission {

  private static final int RECENT = 1_024;

  /** How many values outweigh what is known of a coarser class. */
  private static final double PRIOR = 20;

  private final DoubleSupplier share;
  private final UseHistory history = new UseHistory();
  private final double[] decided = new double[UseClass.COUNT];
  private final double[] returned = new double[UseClass.COUNT];
  private final double[] coarseDecided = new double[UseClass.COARSE];
  private final double[] coarseReturned = new double[UseClass.COARSE];

  /** The worth of the last values, in a ring. */
  private final double[] recent = new double[RECENT];

  private long decisions;

  /** Values written beyond the share. */
  private double surplus;

  ReuseAdmission(DoubleSupplier share) {
    this.share = share;
  }

  @Override
  public synchronized boolean admits(EvictedUse value) {
    EvictedUse whole = value.withUses(value.uses() + history.uses(value.key()));
    int useClass = UseClass.of(whole);
    double worth = probability(useClass) + tieBreaker(value.lastUse());
    history.add(value.key(), useClass, whole.uses());
    decided[useClass]++;
    coarseDecided[UseClass.coarse(useClass)]++;
    double wanted = share.getAsDouble();
    int known = (int) Math.min(decisions, RECENT);
    boolean best = lower(worth, known) >= (1 - wanted + surplus / RECENT) * known;
    recent[(int) (decisions++ % RECENT)] = worth;
    surplus = Math.max(-RECENT, surplus - wanted);
    return best;
  }

  private double probability(int useClass) {
    int coarse = UseClass.coarse(useClass);
    double prior = (coarseReturned[coarse] + 1) / (coarseDecided[coarse] + 1);
    return (returned[useClass] + PRIOR * prior) / (decided[useClass] + PRIOR);
  }

  /** Orders equal values by prompt, because only a whole prefix is of use. */
  private static double tieBreaker(long lastUse) {
    long second = lastUse / 1_000_000_000L;
    return ((second * 0x9E3779B97F4A7C15L) >>> 11) * 0x1p-53 * 1e-9;
  }

  private int lower(double worth, int known) {
    int lower = 0;
    for (int i = 0; i < known; i++) {
      lower += recent[i] < worth ? 1 : 0;
    }
    return lower;
  }

  @Override
  public synchronized void written(long size) {
    surplus = Math.min(RECENT, surplus + 1);
  }

  @Override
  public synchronized void requested(long key) {
    int useClass = history.requested(key);
    if (useClass >= 0) {
      returned[useClass]++;
      coarseReturned[UseClass.coarse(useClass)]++;
    }
  }
}

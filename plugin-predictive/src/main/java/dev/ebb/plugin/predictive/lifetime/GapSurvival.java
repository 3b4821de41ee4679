package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.plugin.predictive.Ages;
import dev.ebb.spi.Prediction;

/**
 * The distribution of the idle time between two uses of entries of one kind, as a survival curve
 * over age bins. Also the expected life that follows from it. An evicted entry counts as not reused
 * for as long as it stayed, and says nothing about later (E. L. Kaplan and P. Meier, "Nonparametric
 * Estimation from Incomplete Observations", 1958, in its grouped, actuarial form). Ages that too
 * few entries have reached are no evidence against reuse: there the hazard of the earlier ages
 * continues. Entries of one request are correlated, so evidence is counted in moments with events.
 *
 * <p>Uses are a renewal process: after each use another follows with the same probability, after a
 * gap of the same distribution. The confidence is about one entry. Where most entries are not used
 * again, it is the probability of that. Elsewhere it falls with the spread of single lives, however
 * well their mean is known.
 */
final class GapSurvival {

  private static final int BATCH = 64;

  // Lives shorter than this count as equal, so errors below it do not count.
  private static final double RESOLUTION_SECONDS = 1;

  // Ages with less evidence than this, in moments' worth of entries, are not judged on their
  // own.
  private static final double FEWEST = 30;

  // The number of earlier ages that replace them.
  private static final int STAND_IN = 5;

  // Where no life was ever seen to end, expected lives would grow without bound.
  private static final double LEAST_NEVER = 1e-12;

  // The number of moments that gives half of the confidence.
  private static final double SUPPORT = 10;

  private final double decay;
  private final double[] reused = new double[Ages.BINS + 1];
  private final double[] left = new double[Ages.BINS + 1];
  private final double[] exposed = new double[Ages.BINS + 1];
  private final double[] alive = new double[Ages.BINS + 2];
  private final double[] hazard = new double[Ages.BINS + 1];
  private final double[] remaining = new double[Ages.BINS + 1];
  private final double[] certainty = new double[Ages.BINS + 1];
  private double moments;
  private long moment = Long.MIN_VALUE;
  private int pending;

  /**
   * Creates a distribution without evidence.
   *
   * @param halfLife moments after which an observation weighs half
   */
  GapSurvival(double halfLife) {
    this.decay = Math.pow(0.5, BATCH / halfLife);
  }

  /** Learns that an entry was used again after a gap, in seconds. */
  void reused(double gap, long now) {
    learn(now);
    reused[bin(gap)]++;
  }

  /** Learns that an entry was removed after it had not been used for a while, in seconds. */
  void left(double idle, long now) {
    learn(now);
    left[bin(idle)]++;
  }

  /** Predicts the life of an entry that has not been used for a while. */
  void predict(long idleNanos, Prediction out) {
    int bin = Ages.bin(idleNanos);
    out.set(remaining[bin], certainty[bin]);
  }

  private static int bin(double seconds) {
    return Ages.bin((long) (seconds * 1e9));
  }

  // Before an event of a new moment, the curve may have to be computed again from the earlier
  // ones.
  private void learn(long now) {
    if (now != moment) {
      moment = now;
      if (pending == BATCH) {
        refresh();
        fade();
      }
      pending++;
      moments++;
    }
  }

  private void fade() {
    pending = 0;
    moments *= decay;
    for (int bin = 0; bin <= Ages.BINS; bin++) {
      reused[bin] *= decay;
      left[bin] *= decay;
    }
  }

  private void refresh() {
    survive();
    double never = Math.max(alive[Ages.BINS + 1], LEAST_NEVER);
    double life = 0;
    double square = 0;
    for (int bin = 0; bin <= Ages.BINS; bin++) {
      double share = alive[bin] * hazard[bin];
      life += share * middle(bin) / never;
      square += share * middle(bin) * middle(bin);
    }
    // A life L is 0, or a gap and another life: its second moment follows from the gaps'.
    double lifeSquare = (square + 2 * life * never * life) / never;
    expect(life, lifeSquare, moments / (moments + SUPPORT));
  }

  private void survive() {
    double samples = 0;
    for (int bin = Ages.BINS; bin >= 0; bin--) {
      exposed[bin] = samples + reused[bin] + left[bin] / 2;
      samples += reused[bin] + left[bin];
    }
    // The curve never says that all are used again with certainty, nor that the oldest one is.
    double most = samples / (samples + 1);
    double fewest = FEWEST * samples / moments;
    alive[0] = 1;
    for (int bin = 0; bin <= Ages.BINS; bin++) {
      hazard[bin] = Math.min(hazardAt(bin, fewest), most);
      alive[bin + 1] = alive[bin] * (1 - hazard[bin]);
    }
  }

  private double hazardAt(int bin, double fewest) {
    if (exposed[bin] >= fewest) {
      return reused[bin] / exposed[bin];
    }
    double sum = 0;
    int count = Math.min(bin, STAND_IN);
    for (int before = bin - count; before < bin; before++) {
      sum += hazard[before];
    }
    return count == 0 ? 0 : sum / count;
  }

  // From the far end: the probability of another use, and the time to it, at the start of each
  // bin.
  private void expect(double life, double lifeSquare, double support) {
    double reuse = 0;
    double time = 0;
    double square = 0;
    for (int bin = Ages.BINS; bin >= 0; bin--) {
      double share = alive[bin] * hazard[bin];
      double start = Ages.start(bin);
      reuse += share;
      time += share * middle(bin);
      square += share * middle(bin) * middle(bin);
      double again = Math.min(1, reuse / alive[bin]);
      if (again <= 0.5) {
        remaining[bin] = 0;
        certainty[bin] = support * (1 - again);
        continue;
      }
      double gap = Math.max(0, time - reuse * start) / alive[bin];
      double gapSquare =
          Math.max(0, square - 2 * start * time + start * start * reuse) / alive[bin];
      double mean = gap + again * life;
      double variance = gapSquare + 2 * gap * life + again * lifeSquare - mean * mean;
      double spread = Math.sqrt(Math.max(0, variance));
      remaining[bin] = mean;
      certainty[bin] = support / (1 + spread / (mean + RESOLUTION_SECONDS));
    }
  }

  private static double middle(int bin) {
    return bin == Ages.BINS ? Ages.start(bin) : Ages.start(bin) + Ages.width(bin) / 2;
  }
}

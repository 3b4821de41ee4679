package dev.ebb.plugin.predictive;

/**
 * The scale on which ages are told apart: the first bin is a second, each edge after it 1.35 times
 * the one before, up to some seven hours. Hazards per bin are then about as steady as they can be.
 */
final class Ages {

  /** How many bins there are; an age past the last has this number. */
  static final int BINS = 35;

  /** How many bins make a coarse one, for factors that need fewer. */
  static final int COARSE_WIDTH = 5;

  /** How many coarse bins there are. */
  static final int COARSE = BINS / COARSE_WIDTH;

  private static final double FIRST_EDGE = 1;
  private static final double GROWTH = 1.35;
  private static final double NANOS = 1e9;

  private static final double[] EDGES = new double[BINS + 1];
  private static final long[] EDGE_NANOS = new long[BINS + 1];
  private static final float[] SHARE_OF_NANO = new float[BINS];

  static {
    double edge = FIRST_EDGE;
    for (int bin = 1; bin <= BINS; bin++) {
      EDGES[bin] = edge;
      EDGE_NANOS[bin] = Math.round(edge * NANOS);
      SHARE_OF_NANO[bin - 1] = (float) (1 / (width(bin - 1) * NANOS));
      edge *= GROWTH;
    }
  }

  private Ages() {}

  /** Where a bin starts, in seconds. */
  static double start(int bin) {
    return EDGES[bin];
  }

  /** How long a bin lasts, in seconds. */
  static double width(int bin) {
    return EDGES[bin + 1] - EDGES[bin];
  }

  /** Whether an age in nanoseconds lies past the end of a bin. */
  static boolean past(int bin, long ageNanos) {
    return ageNanos >= EDGE_NANOS[bin + 1];
  }

  /** The age at which a bin ends, in nanoseconds. */
  static long end(int bin) {
    return EDGE_NANOS[bin + 1];
  }

  /** The bin of an age in nanoseconds. */
  static int bin(long ageNanos) {
    int bin = 0;
    while (bin < BINS && past(bin, ageNanos)) {
      bin++;
    }
    return bin;
  }

  /** How far into its bin an age is, 0 to 1. */
  static float within(int bin, long ageNanos) {
    float share = (ageNanos - EDGE_NANOS[bin]) * SHARE_OF_NANO[bin];
    return Math.min(share, 1);
  }

  /** A time span in seconds. */
  static double seconds(long nanos) {
    return nanos / NANOS;
  }
}

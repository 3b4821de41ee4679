package dev.ebb.plugin.predictive;

/**
 * The scale of ages. The first bin is a second, and each edge after it 1.35 times the one before,
 * up to about seven hours. Hazards per bin are then as steady as possible.
 */
public final class Ages {

  /** The number of bins; an age past the last has this number. */
  public static final int BINS = 35;

  /** The number of bins in a coarse one, for factors that need fewer. */
  static final int COARSE_WIDTH = 5;

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

  /** Returns the start of a bin, in seconds. */
  public static double start(int bin) {
    return EDGES[bin];
  }

  /** Returns the length of a bin, in seconds. */
  public static double width(int bin) {
    return EDGES[bin + 1] - EDGES[bin];
  }

  /** Returns whether an age in nanoseconds lies past the end of a bin. */
  static boolean past(int bin, long ageNanos) {
    return ageNanos >= EDGE_NANOS[bin + 1];
  }

  /** Returns the age at which a bin ends, in nanoseconds. */
  static long end(int bin) {
    return EDGE_NANOS[bin + 1];
  }

  /** Returns the bin of an age in nanoseconds. */
  public static int bin(long ageNanos) {
    int bin = 0;
    while (bin < BINS && past(bin, ageNanos)) {
      bin++;
    }
    return bin;
  }

  /** Returns the position of an age in its bin, 0 to 1. */
  static float within(int bin, long ageNanos) {
    float share = (ageNanos - EDGE_NANOS[bin]) * SHARE_OF_NANO[bin];
    return Math.min(share, 1);
  }

  /** Returns a time span in seconds. */
  static double seconds(long nanos) {
    return nanos / NANOS;
  }
}

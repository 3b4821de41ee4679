package dev.ebb.host.statistics;

/**
 * The difference between two ratios, and the part of it that may be chance.
 *
 * @param points the one ratio less the other
 * @param margin half of the 95 % confidence interval; NaN if there is too little data
 */
public record Difference(double points, double margin) {

  /** Student's t for 1 to 30 degrees of freedom, both tails together 5 %. */
  private static final double[] T = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /** The interval of fewer parts says more about their number than about the difference. */
  public static final int FEWEST_PARTS = 5;

  /** The maximum number of parts. */
  public static final int MOST_PARTS = T.length + 1;

  /**
   * Returns the difference over all parts, with the confidence interval that follows from how the
   * parts differ: Student's interval of a ratio estimate (W. Cochran, Sampling Techniques, section
   * 6.4). Parts of one size make it the paired t interval.
   *
   * @param gains by how much the one exceeded the other, in each part
   * @param sizes the totals of the gains, as many
   * @return the difference; without an interval if there are fewer than {@link #FEWEST_PARTS} parts
   */
  public static Difference of(double[] gains, double[] sizes) {
    int parts = gains.length;
    double gain = 0;
    double size = 0;
    for (int i = 0; i < parts; i++) {
      gain += gains[i];
      size += sizes[i];
    }
    double points = gain / size;
    if (parts < FEWEST_PARTS) {
      return new Difference(points, Double.NaN);
    }
    double squares = 0;
    for (int i = 0; i < parts; i++) {
      double off = gains[i] - points * sizes[i];
      squares += off * off;
    }
    double error = Math.sqrt(squares * parts / (parts - 1)) / size;
    return new Difference(points, T[parts - 2] * error);
  }

  /** Returns whether the difference is significant: there is an interval without 0. */
  public boolean moreThanChance() {
    return Math.abs(points) > margin;
  }
}

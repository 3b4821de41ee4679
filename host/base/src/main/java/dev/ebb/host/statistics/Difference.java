package dev.ebb.host.statistics;

/**
 * How far two ratios are apart, and how much of that may be chance.
 *
 * @param points the one ratio less the other
 * @param margin half of the band in which the true difference lies 19 times in 20; NaN if there is
 *     too little to tell
 */
public record Difference(double points, double margin) {

  /** Student's t for 1 to 30 degrees of freedom, both tails together 5 %. */
  private static final double[] T = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /** The most parts. */
  public static final int MOST_PARTS = T.length + 1;

  /**
   * The difference over all parts, with the band that follows from how the parts differ: Student's
   * interval of a ratio estimate (W. Cochran, Sampling Techniques, section 6.4). Parts of one size
   * make it the paired t interval.
   *
   * @param gains how much more the one had than the other, in each part
   * @param sizes what the gains are shares of, as many
   * @return the difference; without a band if there are fewer than two parts
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
    if (parts < 2) {
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

  /**
   * Whether it is more than chance.
   *
   * @return true if there is a band, and it does not hold 0
   */
  public boolean moreThanChance() {
    return Math.abs(points) > margin;
  }
}

package dev.ebb.host.metrics;

/**
 * The bucket counts of a histogram.
 *
 * @param bounds the largest value of each bucket, ascending; infinity last
 * @param counts values in each bucket, not cumulated
 */
@SuppressWarnings("ArrayRecordComponent")
public record Buckets(double[] bounds, long[] counts, double sum) {

  /** Checks that the arrays fit. */
  public Buckets {
    if (bounds.length != counts.length
        || bounds.length == 0
        || bounds[bounds.length - 1] != Double.POSITIVE_INFINITY) {
      throw new IllegalArgumentException("a count is needed for each bound, infinity last");
    }
  }
}

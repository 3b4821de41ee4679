package dev.ebb.host.cache.stats;

/**
 * Counts values by size, with two significant digits, and keeps their exact sum. Used by one thread
 * at a time; a {@link #copy} may be read by any thread.
 */
public final class Histogram {

  private static final int SIGNIFICANT_DIGITS = 2;

  private final org.HdrHistogram.Histogram counts;
  private double sum;
  private long max;

  public Histogram() {
    this(new org.HdrHistogram.Histogram(SIGNIFICANT_DIGITS), 0, 0);
  }

  private Histogram(org.HdrHistogram.Histogram counts, double sum, long max) {
    this.counts = counts;
    this.sum = sum;
    this.max = max;
  }

  /** Counts a value; a negative one counts as 0. */
  public void add(long value) {
    long number = Math.max(0, value);
    counts.recordValue(number);
    sum += number;
    max = Math.max(max, number);
  }

  /** Returns a copy that does not change. */
  public Histogram copy() {
    return new Histogram(counts.copy(), sum, max);
  }

  public Histogram plus(Histogram other) {
    Histogram both = copy();
    both.counts.add(other.counts);
    both.sum += other.sum;
    both.max = Math.max(max, other.max);
    return both;
  }

  /** Returns the values added since an earlier copy; the largest value is that of all. */
  public Histogram since(Histogram earlier) {
    Histogram later = copy();
    later.counts.subtract(earlier.counts);
    later.sum -= earlier.sum;
    return later;
  }

  public long count() {
    return counts.getTotalCount();
  }

  /** Returns the sum of the values, exact as far as a double is. */
  public double sum() {
    return sum;
  }

  /** Returns the largest value, exactly; 0 if there is none. */
  public long max() {
    return max;
  }

  /**
   * Returns a value that this share of all values, 0 to 1, does not exceed. It is at most one
   * percent too large; 0 without values.
   */
  public long quantile(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share is " + share + ", must be 0 to 1");
    }
    long value = counts.getValueAtPercentile(100 * share);
    return Math.min(max, counts.highestEquivalentValue(value));
  }

  /** Counts the values up to a bound of 0 or more, with those at most one percent above it. */
  public long countUpTo(long bound) {
    return counts.getCountBetweenValues(0, Math.max(0, bound));
  }
}

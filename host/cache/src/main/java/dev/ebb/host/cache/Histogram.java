package dev.ebb.host.cache;

/**
 * Counts numbers by size, eight classes to each doubling: what it tells is right to an eighth.
 * Belongs to one thread at a time; a {@link #copy} can be handed on.
 */
public final class Histogram {

  private static final int SUB_BITS = 3;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int CLASSES = (Long.SIZE - SUB_BITS) * SUBS;

  private final long[] counts;
  private long count;
  private double sum;
  private long max;

  /** Nothing yet. */
  public Histogram() {
    counts = new long[CLASSES];
  }

  private Histogram(Histogram from) {
    counts = from.counts.clone();
    count = from.count;
    sum = from.sum;
    max = from.max;
  }

  /**
   * Notes a value.
   *
   * @param value taken for 0 if it is less
   */
  public void add(long value) {
    long number = Math.max(0, value);
    counts[classOf(number)]++;
    count++;
    sum += number;
    max = Math.max(max, number);
  }

  /**
   * The histogram as it is now.
   *
   * @return a copy that does not change
   */
  public Histogram copy() {
    return new Histogram(this);
  }

  /**
   * Both together.
   *
   * @param other another one
   * @return a new one
   */
  public Histogram plus(Histogram other) {
    return combined(other, 1);
  }

  /**
   * What has come since an earlier copy of this one.
   *
   * @param earlier the copy
   * @return a new one; its largest value is that of all
   */
  public Histogram since(Histogram earlier) {
    return combined(earlier, -1);
  }

  private Histogram combined(Histogram other, int sign) {
    Histogram both = new Histogram(this);
    for (int i = 0; i < CLASSES; i++) {
      both.counts[i] += sign * other.counts[i];
    }
    both.count += sign * other.count;
    both.sum += sign * other.sum;
    both.max = Math.max(max, other.max);
    return both;
  }

  /**
   * How many numbers were counted.
   *
   * @return 0 or more
   */
  public long count() {
    return count;
  }

  /**
   * Their sum.
   *
   * @return exact as far as a double is
   */
  public double sum() {
    return sum;
  }

  /**
   * The largest.
   *
   * @return exact; 0 if there is none
   */
  public long max() {
    return max;
  }

  /**
   * The number that a share of all do not exceed.
   *
   * @param share 0 to 1
   * @return at most an eighth too large; 0 if nothing was counted
   */
  public long quantile(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share is " + share + ", must be 0 to 1");
    }
    long rank = Math.max(1, (long) Math.ceil(share * count));
    long seen = 0;
    for (int i = 0; i < CLASSES; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.min(max, last(i));
      }
    }
    return max;
  }

  /**
   * How many numbers are at most so large.
   *
   * @param bound 0 or more
   * @return the count, those of the bound's own class included
   */
  public long countUpTo(long bound) {
    long seen = 0;
    for (int i = 0; i <= classOf(Math.max(0, bound)); i++) {
      seen += counts[i];
    }
    return seen;
  }

  private static int classOf(long value) {
    if (value < SUBS) {
      return (int) value;
    }
    int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - SUB_BITS;
    return (doublings << SUB_BITS) + (int) (value >>> doublings);
  }

  private static long last(int place) {
    if (place < SUBS) {
      return place;
    }
    int doublings = (place >>> SUB_BITS) - 1;
    long first = (long) (SUBS + (place & (SUBS - 1))) << doublings;
    return first + (1L << doublings) - 1;
  }
}

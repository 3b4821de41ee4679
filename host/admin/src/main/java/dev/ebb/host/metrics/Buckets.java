package dev.ebb.host.metrics;

import dev.ebb.host.cache.stats.Histogram;
import java.util.List;

/**
 * The bucket counts of a histogram of seconds.
 *
 * @param bounds the largest value of each bucket, ascending; infinity last
 * @param counts values in each bucket, not cumulated
 */
@SuppressWarnings("ArrayRecordComponent")
public record Buckets(double[] bounds, long[] counts, double sum) {

  /** Bounds from 1 µs to 67 s; each is twice the one before. */
  public static final int LATENCY_BOUNDS = 28;

  /** Bounds from 1 µs to eleven days; each is four times the one before. */
  private static final int LIFE_BOUNDS = 21;

  private static final double FIRST_SECONDS = 1e-6;

  /** Returns the sum of latency histograms, which count nanoseconds. */
  public static Buckets latencies(List<Histogram> nanos) {
    return of(nanos, LATENCY_BOUNDS, 2);
  }

  /** Returns the sum of histograms of lifetimes, which count nanoseconds. */
  public static Buckets lives(List<Histogram> nanos) {
    return of(nanos, LIFE_BOUNDS, 4);
  }

  /** Returns the number of the latency bucket of a time, within one percent at its bounds. */
  public static int latencyBucket(long nanos) {
    long micros = (Math.max(1, nanos) - 1) / 1_000;
    return Math.min(LATENCY_BOUNDS - 1, Long.SIZE - Long.numberOfLeadingZeros(micros));
  }

  private static Buckets of(List<Histogram> nanos, int count, int factor) {
    double[] bounds = new double[count];
    long[] counts = new long[count];
    double bound = FIRST_SECONDS;
    long before = 0;
    for (int i = 0; i < count; i++) {
      boolean last = i == count - 1;
      bounds[i] = last ? Double.POSITIVE_INFINITY : bound;
      long most = last ? Long.MAX_VALUE : (long) (bound * 1e9);
      long upTo = nanos.stream().mapToLong(each -> each.countUpTo(most)).sum();
      counts[i] = upTo - before;
      before = upTo;
      bound *= factor;
    }
    return new Buckets(bounds, counts, nanos.stream().mapToDouble(Histogram::sum).sum() / 1e9);
  }
}

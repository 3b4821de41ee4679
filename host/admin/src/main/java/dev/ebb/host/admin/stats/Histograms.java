package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.Histogram;
import dev.ebb.host.metrics.Buckets;
import java.util.List;

/** Converts histograms of nanoseconds to buckets of seconds. */
public final class Histograms {

  /** Bounds from 1 µs to 67 s; each is twice the one before. */
  private static final int LATENCY_BOUNDS = 28;

  /** Bounds from 1 µs to eleven days; each is four times the one before. */
  private static final int LIFE_BOUNDS = 21;

  private static final double FIRST_SECONDS = 1e-6;

  private Histograms() {}

  /**
   * Returns the combined latency histogram.
   *
   * @param nanos histograms of nanoseconds
   * @return counts up to 1 µs, 2 µs, 4 µs and so on
   */
  public static Buckets latencies(List<Histogram> nanos) {
    return buckets(nanos, LATENCY_BOUNDS, 2);
  }

  static Buckets lives(List<Histogram> nanos) {
    return buckets(nanos, LIFE_BOUNDS, 4);
  }

  private static Buckets buckets(List<Histogram> nanos, int count, int factor) {
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

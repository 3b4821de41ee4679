package dev.ebb.host.admin;

import dev.ebb.host.cache.Histogram;
import dev.ebb.host.metrics.Buckets;
import java.util.List;

/** Histograms of nanoseconds as buckets of seconds. */
public final class Histograms {

  /** A microsecond to 67 seconds, each twice as long as the one before. */
  private static final int LATENCY_BOUNDS = 28;

  /** A microsecond to eleven days, each four times as long as the one before. */
  private static final int LIFE_BOUNDS = 21;

  private static final double FIRST_SECONDS = 1e-6;

  private Histograms() {}

  /**
   * Returns how long calls took, all together.
   *
   * @param nanos histograms of nanoseconds
   * @return how many there are up to a microsecond, two, four and so on
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

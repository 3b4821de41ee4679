package dev.ebb.host.admin;

import dev.ebb.host.cache.Histogram;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.objects.Latency;
import java.util.List;

/** Histograms of nanoseconds as buckets of seconds. */
final class Histograms {

  /** A microsecond to eleven days, each four times as long as the one before. */
  private static final int BOUNDS = 21;

  private static final double FIRST_SECONDS = 1e-6;

  private Histograms() {}

  /** All together. */
  static Buckets of(List<Histogram> nanos) {
    double[] bounds = new double[BOUNDS];
    long[] counts = new long[BOUNDS];
    double bound = FIRST_SECONDS;
    long before = 0;
    for (int i = 0; i < BOUNDS; i++) {
      boolean last = i == BOUNDS - 1;
      bounds[i] = last ? Double.POSITIVE_INFINITY : bound;
      long most = last ? Long.MAX_VALUE : (long) (bound * 1e9);
      long upTo = nanos.stream().mapToLong(each -> each.countUpTo(most)).sum();
      counts[i] = upTo - before;
      before = upTo;
      bound *= 4;
    }
    return new Buckets(bounds, counts, nanos.stream().mapToDouble(Histogram::sum).sum() / 1e9);
  }

  static Buckets of(Latency latency) {
    List<Latency.Bucket> buckets = latency.buckets();
    double[] bounds = buckets.stream().mapToDouble(Latency.Bucket::upToSeconds).toArray();
    bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
    return new Buckets(
        bounds, buckets.stream().mapToLong(Latency.Bucket::count).toArray(), latency.seconds());
  }
}

package dev.ebb.host.objects;

import java.util.ArrayList;
import java.util.List;

/** Measurements from 2 µs to 67 s and beyond. Guarded by the partition's lock. */
final class LatencyCounter {

  private static final int SHORTEST_BITS = 11;
  private static final int BUCKETS = 27;

  private final long[] counts = new long[BUCKETS];
  private long count;
  private long nanos;

  void add(long took) {
    long checked = Math.max(1, took);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(checked - 1);
    counts[Math.clamp(bits - SHORTEST_BITS, 0, BUCKETS - 1)]++;
    count++;
    nanos += checked;
  }

  Latency latency() {
    List<Latency.Bucket> buckets = new ArrayList<>();
    for (int i = 0; i < BUCKETS; i++) {
      double end = i == BUCKETS - 1 ? Double.POSITIVE_INFINITY : (1L << (i + SHORTEST_BITS)) / 1e9;
      buckets.add(new Latency.Bucket(end, counts[i]));
    }
    return new Latency(count, nanos / 1e9, buckets);
  }
}

package dev.ebb.host.objects;

import java.util.ArrayList;
import java.util.List;

/**
 * How long something took, in buckets each twice as long as the one before.
 *
 * @param count how often it was measured
 * @param seconds all measurements together
 * @param buckets shortest first; a measurement is in the first that it does not exceed. The last
 *     has no bound
 */
public record Latency(long count, double seconds, List<Bucket> buckets) {

  /**
   * Some measurements.
   *
   * @param upToSeconds the longest that is in here
   * @param count how many
   */
  public record Bucket(double upToSeconds, long count) {}

  /** Takes a copy of the list. */
  public Latency {
    buckets = List.copyOf(buckets);
  }

  Latency plus(Latency other) {
    List<Bucket> sums = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i++) {
      Bucket bucket = buckets.get(i);
      sums.add(new Bucket(bucket.upToSeconds, bucket.count + other.buckets.get(i).count));
    }
    return new Latency(count + other.count, seconds + other.seconds, sums);
  }
}

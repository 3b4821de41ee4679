package dev.ebb.host.cache.stats;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Jain's index over the tenants' hit ratios: 1 if all ratios are equal, 1/n if one of n has all
 * hits.
 *
 * <p>R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination (DEC-TR-301,
 * 1984).
 */
public final class Fairness {

  private final Map<String, long[]> tenants = new HashMap<>();

  public Fairness() {}

  /** Counts a tenant's requests; those of a null tenant are not counted. */
  public void add(@Nullable String tenant, long hits, long references) {
    if (tenant == null) {
      return;
    }
    long[] counts = tenants.computeIfAbsent(tenant, name -> new long[2]);
    counts[0] += hits;
    counts[1] += references;
  }

  /** Returns the index, 0 to 1; NaN if no tenant is known or none has a hit. */
  public double index() {
    double sum = 0;
    double squares = 0;
    int count = 0;
    for (long[] counts : tenants.values()) {
      if (counts[1] > 0) {
        double ratio = (double) counts[0] / counts[1];
        sum += ratio;
        squares += ratio * ratio;
        count++;
      }
    }
    return squares == 0 ? Double.NaN : sum * sum / (count * squares);
  }
}

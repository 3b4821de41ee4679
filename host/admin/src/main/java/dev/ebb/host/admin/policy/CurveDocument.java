package dev.ebb.host.admin.policy;

import dev.ebb.host.shadow.MemoryCurve;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratio of the active policy over the memory of the pool.
 *
 * @param rate the share of sampled keys; null while nothing is measured
 * @param since when counting began, ISO 8601; null before it begins
 * @param points by memory, least first; empty until the sample is large enough
 */
public record CurveDocument(
    String policy, @Nullable Double rate, @Nullable String since, List<Point> points) {

  /**
   * The hit ratio with some memory. That of the pool's own memory is counted.
   *
   * @param factor how many times the memory of the pool
   * @param low lower end of the 95 % confidence interval
   */
  public record Point(
      double factor, long capacityBytes, double hitRatio, double low, double high) {}

  static CurveDocument of(MemoryCurve.Report curve, long blockBytes) {
    return new CurveDocument(
        curve.policy(),
        curve.rate() == 0 ? null : curve.rate(),
        curve.since() == null ? null : curve.since().toString(),
        curve.points().stream()
            .map(each ->
                new Point(
                    each.factor(),
                    Math.round(each.factor() * curve.capacityBlocks() * blockBytes),
                    each.hitRatio(),
                    each.low(),
                    each.high()))
            .toList());
  }
}

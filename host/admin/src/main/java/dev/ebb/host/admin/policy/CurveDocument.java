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
 * @param tenants the same of the tenants with most accesses; empty if there is only one
 */
public record CurveDocument(
    String policy,
    @Nullable Double rate,
    @Nullable String since,
    List<Point> points,
    List<Tenant> tenants) {

  /**
   * The hit ratio with some memory. That of the pool's own memory is counted.
   *
   * @param factor how many times the memory of the pool
   * @param low lower end of the 95 % confidence interval
   */
  public record Point(
      double factor, long capacityBytes, double hitRatio, double low, double high) {}

  /**
   * The hit ratio of a tenant, in its partition or in the one that it shares.
   *
   * @param points their capacity is that of the whole pool
   */
  public record Tenant(String tenant, List<Point> points) {}

  static CurveDocument of(MemoryCurve.Report curve) {
    return new CurveDocument(
        curve.policy(),
        curve.rate() == 0 ? null : curve.rate(),
        curve.since() == null ? null : curve.since().toString(),
        points(curve.points(), curve.capacityBytes()),
        curve.tenants().stream()
            .map(each -> new Tenant(each.name(), points(each.points(), curve.capacityBytes())))
            .toList());
  }

  private static List<Point> points(List<MemoryCurve.Point> points, long poolBytes) {
    return points.stream()
        .map(each ->
            new Point(
                each.factor(),
                Math.round(each.factor() * poolBytes),
                each.hitRatio(),
                each.low(),
                each.high()))
        .toList();
  }
}

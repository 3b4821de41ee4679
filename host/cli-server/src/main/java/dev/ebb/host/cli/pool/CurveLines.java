package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.policy.CurveDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The memory curve for a terminal. */
final class CurveLines {

  private static final Columns<CurveDocument.Tenant> TENANTS =
      Columns.of(
          CurveDocument.Tenant.class,
          """
          TENANT | {tenant}
          >0.25x | {quarter}
          >0.5x | {half}
          >1x | {now}
          >2x | {twice}
          >4x | {four}
          """,
          at("quarter", 0.25),
          at("half", 0.5),
          at("now", 1),
          at("twice", 2),
          at("four", 4));

  private CurveLines() {}

  static List<String> of(CurveDocument curve) {
    double own =
        curve.points().stream()
            .filter(each -> each.factor() == 1)
            .mapToDouble(CurveDocument.Point::hitRatio)
            .findFirst()
            .orElse(Double.NaN);
    Columns<CurveDocument.Point> columns =
        Columns.of(
            CurveDocument.Point.class,
            """
             | [{?active}*]
            >MEMORY | {capacityBytes:bytes}
             | {times}
            >HIT RATIO | {hitRatio:percent}
            BAND | {band}
            >DIFFERENCE | {points}
            """,
            new Computed<>("active", each -> each.factor() == 1),
            new Computed<>(
                "times", each -> "%sx".formatted(Double.toString(each.factor()).replace(".0", ""))),
            new Computed<>(
                "band",
                each ->
                    each.factor() == 1
                        ? "counted"
                        : Format.percent(each.low()) + " to " + Format.percent(each.high())),
            new Computed<>(
                "points",
                each -> String.format(Locale.ROOT, "%+.1f points", 100 * (each.hitRatio() - own))));
    List<String> lines = new ArrayList<>(columns.lines(curve.points()));
    lines.add(
        "* the pool with '%s'; counted since %s, on a sample of %s of the keys"
            .formatted(
                Format.text(curve.policy()),
                Format.moment(curve.since()),
                Format.percent(curve.rate())));
    if (!curve.tenants().isEmpty()) {
      lines.add("");
      lines.addAll(TENANTS.lines(curve.tenants()));
      lines.add("with these multiples of the memory of each partition");
    }
    return lines;
  }

  private static Computed<CurveDocument.Tenant> at(String column, double factor) {
    return new Computed<>(
        column,
        tenant ->
            tenant.points().stream()
                .filter(each -> each.factor() == factor)
                .map(CurveLines::withError)
                .findFirst()
                .orElse("-"));
  }

  private static String withError(CurveDocument.Point point) {
    double error = Math.max(point.high() - point.hitRatio(), point.hitRatio() - point.low());
    String ratio = Format.percent(point.hitRatio());
    return point.factor() == 1
        ? ratio
        : ratio + String.format(Locale.ROOT, " \u00b1 %.1f", 100 * error);
  }
}

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
    return lines;
  }
}

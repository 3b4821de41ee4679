package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.replay.fit.FitReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of {@code ebb fit} for a terminal. */
final class FitLines {

  private FitLines() {}

  static List<String> text(FitReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s, %s, %s"
            .formatted(
                Format.text(report.trace()),
                Format.count(report.requests(), "request", "requests"),
                Format.count(report.references(), "block reference", "block references"),
                Format.count(report.distinctBlocks(), "distinct block", "distinct blocks")));
    lines.add("");
    TextTable lru = new TextTable(">LRU BLOCKS", ">RECORDED", ">GENERATED", ">DIFFERENCE");
    report
        .lru()
        .forEach(point ->
            lru.add(
                List.of(
                    Format.count(point.blocks()),
                    percent(point.recorded()),
                    percent(point.generated()),
                    points(point))));
    lines.addAll(lru.lines());
    lines.add("");
    TextTable sizes =
        new TextTable(
            "QUANTITY", ">RECORDED P50", ">P90", ">P99", ">GENERATED P50", ">P90", ">P99");
    report
        .sizes()
        .forEach(size ->
            sizes.add(
                List.of(
                    size.name(),
                    number(size.recorded().p50()),
                    number(size.recorded().p90()),
                    number(size.recorded().p99()),
                    number(size.generated().p50()),
                    number(size.generated().p90()),
                    number(size.generated().p99()))));
    lines.addAll(sizes.lines());
    lines.add("");
    lines.add(
        "largest difference of the LRU hit ratio: %s points at %s"
            .formatted(
                points(report.largestHitRatioDifference()),
                Format.count(report.largestHitRatioDifference().blocks(), "block", "blocks")));
    lines.add(
        "largest difference of the reuse distances: %s points of all reuses at distance %s"
            .formatted(
                points(report.largestReuseDifference()),
                Format.count(report.largestReuseDifference().blocks())));
    return lines;
  }

  private static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.2f%%", 100 * ratio);
  }

  private static String points(FitReport.Point point) {
    return String.format(Locale.ROOT, "%+.2f", point.difference());
  }

  private static String number(double value) {
    return Double.isNaN(value)
        ? Format.UNKNOWN
        : String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
  }
}

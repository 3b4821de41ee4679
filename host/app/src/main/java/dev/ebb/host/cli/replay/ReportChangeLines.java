package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.http.Json;
import dev.ebb.host.replay.comparison.ReportComparison;
import dev.ebb.host.replay.comparison.RowChange;
import dev.ebb.host.replay.comparison.SavedReport.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The comparison of two reports, for a terminal and as JSON. */
final class ReportChangeLines {

  private final ReportComparison comparison;
  private final @Nullable Double failBelow;

  /**
   * Creates the lines.
   *
   * @param failBelow the lowest change allowed, in percentage points; null if all are
   */
  ReportChangeLines(ReportComparison comparison, @Nullable Double failBelow) {
    this.comparison = comparison;
    this.failBelow = failBelow;
  }

  record Document(
      String base,
      String current,
      @Nullable Double failBelow,
      boolean passed,
      long compared,
      long newRows,
      long missingRows,
      List<Row> rows) {}

  record Row(
      String trace,
      String model,
      String policy,
      long capacityBlocks,
      String state,
      boolean passed,
      @Nullable Double hitRatioBase,
      @Nullable Double hitRatio,
      @Nullable Double hitPoints,
      boolean withinSpread,
      @Nullable Long prefillTokensBase,
      @Nullable Long prefillTokens,
      @Nullable Long prefillTokensP99Base,
      @Nullable Long prefillTokensP99,
      @Nullable String failureBase,
      @Nullable String failure) {}

  Document document() {
    return new Document(
        comparison.base().name(),
        comparison.current().name(),
        failBelow,
        comparison.rows().stream().noneMatch(this::isBelow),
        comparison.count(RowChange.State.BOTH),
        comparison.count(RowChange.State.NEW),
        comparison.count(RowChange.State.MISSING),
        comparison.rows().stream().map(this::row).toList());
  }

  private Row row(RowChange row) {
    Run base = row.base();
    Run current = row.current();
    return new Row(
        row.trace(),
        row.model(),
        row.policy(),
        row.capacityBlocks(),
        row.state().name().toLowerCase(Locale.ROOT),
        !isBelow(row),
        base == null ? null : base.hitRatio(),
        current == null ? null : current.hitRatio(),
        Json.known(row.hitPoints()),
        row.withinSpread(),
        known(prefill(base)),
        known(prefill(current)),
        known(tail(base)),
        known(tail(current)),
        base == null ? null : base.failure(),
        current == null ? null : current.failure());
  }

  List<String> text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s -> %s: %s compared, %d new, %d missing"
            .formatted(
                comparison.base().name(),
                comparison.current().name(),
                Format.count(comparison.count(RowChange.State.BOTH), "row", "rows"),
                comparison.count(RowChange.State.NEW),
                comparison.count(RowChange.State.MISSING)));
    for (String trace : comparison.rows().stream().map(RowChange::trace).distinct().toList()) {
      lines.add("");
      lines.add(Format.text(trace));
      table(trace).lines().forEach(lines::add);
    }
    if (comparison.rows().stream().anyMatch(RowChange::withinSpread)) {
      lines.add("~ the ranges of the seeds overlap");
    }
    if (failBelow != null) {
      lines.add("");
      lines.add(verdict(failBelow));
    }
    return lines;
  }

  private TextTable table(String trace) {
    TextTable table =
        new TextTable(
            ">BLOCKS",
            "POLICY",
            ">HIT",
            ">CHANGE",
            ">PREFILL TOKENS",
            ">CHANGE",
            ">P99",
            ">CHANGE",
            "");
    comparison.rows().stream()
        .filter(row -> row.trace().equals(trace))
        .forEach(row -> table.add(cells(row)));
    return table;
  }

  private List<String> cells(RowChange row) {
    Run shown = row.current() == null ? row.base() : row.current();
    Double hit = shown == null ? null : shown.hitRatio();
    double points = row.hitPoints();
    return List.of(
        Format.count(row.capacityBlocks()),
        row.policy(),
        hit == null ? Format.UNKNOWN : format("%.2f%%", hit * 100),
        Double.isNaN(points)
            ? Format.UNKNOWN
            : format("%+.2f", points) + (row.withinSpread() ? " ~" : ""),
        number(prefill(shown)),
        share(row, ReportChangeLines::prefill),
        number(tail(shown)),
        share(row, ReportChangeLines::tail),
        note(row));
  }

  private String note(RowChange row) {
    String note =
        switch (row.state()) {
          case NEW -> "new";
          case MISSING -> "missing";
          case BOTH -> failed(row.current()) ? "failed" : failed(row.base()) ? "fixed" : "";
        };
    return isBelow(row) ? (note + " !").strip() : note;
  }

  private static boolean failed(@Nullable Run run) {
    return run != null && run.failure() != null;
  }

  private String verdict(double least) {
    List<RowChange> below = comparison.below(least);
    return below.isEmpty()
        ? "passed: no hit ratio changed by less than %s points".formatted(format("%+.2f", least))
        : "failed: %s below %s points, missing or failed, marked !"
            .formatted(Format.count(below.size(), "row is", "rows are"), format("%+.2f", least));
  }

  private boolean isBelow(RowChange row) {
    return failBelow != null && row.below(failBelow);
  }

  private static String share(RowChange row, ToLongFunction<@Nullable Run> number) {
    long before = number.applyAsLong(row.base());
    long after = number.applyAsLong(row.current());
    if (before < 0 || after < 0) {
      return Format.UNKNOWN;
    }
    if (before == after) {
      return "0%";
    }
    return before == 0 ? Format.UNKNOWN : format("%+.1f%%", (after - before) * 100.0 / before);
  }

  private static long prefill(@Nullable Run run) {
    return run == null ? -1 : run.prefillTokens();
  }

  private static long tail(@Nullable Run run) {
    return run == null || run.prefillTokensP99() == null ? -1 : run.prefillTokensP99();
  }

  private static String number(long value) {
    return value < 0 ? Format.UNKNOWN : Format.count(value);
  }

  private static @Nullable Long known(long value) {
    return value < 0 ? null : value;
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}

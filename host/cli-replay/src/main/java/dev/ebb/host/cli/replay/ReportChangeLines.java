package dev.ebb.host.cli.replay;

import dev.ebb.host.http.Json;
import dev.ebb.host.replay.comparison.ReportComparison;
import dev.ebb.host.replay.comparison.ReportComparison.RowChange;
import dev.ebb.host.replay.comparison.SavedReport.Run;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
      @Nullable String failure) {

    private @Nullable Object shown(@Nullable Object base, @Nullable Object current) {
      return state.equals("missing") ? base : current;
    }
  }

  private static final Columns<Row> CHANGES =
      Columns.of(
          Row.class,
          """
          >BLOCKS | {capacityBlocks:count}
          POLICY | {policy}
          >HIT | {hit:%.2f%%}
          >CHANGE | {hitPoints:%+.2f}[{?withinSpread} ~]
          >PREFILL TOKENS | {prefill:count}
          >CHANGE | {prefillChange}
          >P99 | {tail:count}
          >CHANGE | {tailChange}
           | {note}
          """,
          new Computed<>("hit", row -> row.shown(row.hitRatioBase(), row.hitRatio())),
          new Computed<>("prefill", row -> row.shown(row.prefillTokensBase(), row.prefillTokens())),
          new Computed<>(
              "prefillChange", row -> change(row.prefillTokensBase(), row.prefillTokens())),
          new Computed<>(
              "tail", row -> row.shown(row.prefillTokensP99Base(), row.prefillTokensP99())),
          new Computed<>(
              "tailChange", row -> change(row.prefillTokensP99Base(), row.prefillTokensP99())),
          new Computed<>("note", ReportChangeLines::note));

  Document document() {
    return new Document(
        comparison.base().name(),
        comparison.current().name(),
        failBelow,
        comparison.rows().stream().noneMatch(this::isBelow),
        comparison.count(RowChange.State.BOTH),
        comparison.count(RowChange.State.NEW),
        comparison.count(RowChange.State.MISSING),
        rows().toList());
  }

  private Stream<Row> rows() {
    return comparison.rows().stream().map(this::row);
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
        prefill(base),
        prefill(current),
        tail(base),
        tail(current),
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
    rows()
        .collect(Collectors.groupingBy(Row::trace, LinkedHashMap::new, Collectors.toList()))
        .forEach((trace, rows) -> {
          lines.add("");
          lines.add(Format.text(trace));
          lines.addAll(CHANGES.lines(rows));
        });
    if (comparison.rows().stream().anyMatch(RowChange::withinSpread)) {
      lines.add("~ the ranges of the seeds overlap");
    }
    if (failBelow != null) {
      lines.add("");
      lines.add(verdict(failBelow));
    }
    return lines;
  }

  private static String note(Row row) {
    String note =
        switch (row.state()) {
          case "both" ->
              row.failure() != null ? "failed" : row.failureBase() != null ? "fixed" : "";
          default -> row.state();
        };
    return row.passed() ? note : (note + " !").strip();
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

  private static String change(@Nullable Long before, @Nullable Long after) {
    if (before == null || after == null) {
      return Format.UNKNOWN;
    }
    if (before.equals(after)) {
      return "0%";
    }
    return before == 0 ? Format.UNKNOWN : format("%+.1f%%", (after - before) * 100.0 / before);
  }

  private static @Nullable Long prefill(@Nullable Run run) {
    return run == null || run.prefillTokens() < 0 ? null : run.prefillTokens();
  }

  private static @Nullable Long tail(@Nullable Run run) {
    return run == null || run.prefillTokensP99() == null || run.prefillTokensP99() < 0
        ? null
        : run.prefillTokensP99();
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}

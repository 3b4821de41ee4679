package dev.ebb.host.cli.replay;

import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.statistics.Difference;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.tuning.SettingRange;
import dev.ebb.host.tuning.TuningReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The result of {@code ebb tune}, for a terminal and as JSON. */
final class TuneLines {

  private static final int MOST_ROWS = 20;
  private static final String CURRENT = "current settings";

  private final String policy;
  private final TuneSearch search;
  private final List<ReplayReport> traces;
  private final TuningReport report;

  TuneLines(String policy, TuneSearch search, List<ReplayReport> traces, TuningReport report) {
    this.policy = policy;
    this.search = search;
    this.traces = List.copyOf(traces);
    this.report = report;
  }

  record Document(
      String policy,
      List<SettingRange> settings,
      long combinations,
      int trials,
      List<Trace> traces,
      List<Row> results,
      Row lru,
      @Nullable Row recommended,
      String verdict) {}

  record Trace(String trace, long requests, List<Long> capacityBlocks) {}

  record Row(
      @Nullable Integer rank,
      boolean current,
      Map<String, String> settings,
      double firstHalf,
      double secondHalf,
      double gain,
      double margin,
      List<TuningReport.Result.Part> parts,
      @Nullable String failure) {}

  Document document() {
    return new Document(
        policy,
        search.ranges(),
        search.combinations(),
        search.trials().size(),
        traces.stream()
            .map(each -> new Trace(each.trace(), each.requests(), each.capacities()))
            .toList(),
        report.results().stream().map(this::row).toList(),
        row(null, false, report.lru()),
        report.recommended().map(this::row).orElse(null),
        verdict());
  }

  private Row row(TuningReport.Result result) {
    return row(
        result.failure() == null ? report.rank(result) : null, result.trial().isCurrent(), result);
  }

  private static Row row(@Nullable Integer rank, boolean current, TuningReport.Result result) {
    return new Row(
        rank,
        current,
        result.trial().settings(),
        result.firstHalf(),
        result.secondHalf(),
        result.gain().points(),
        result.gain().margin(),
        result.parts(),
        result.failure());
  }

  List<String> text() {
    List<String> lines = new ArrayList<>();
    lines.add(heading());
    lines.add(
        "hit ratios over all traces and capacities; ranked by the first half, GAIN is against the"
            + " current settings in the second");
    lines.add("");
    lines.addAll(table());
    lines.add("");
    lines.add(verdict());
    report.recommended().ifPresent(best -> lines.addAll(next(best)));
    return lines;
  }

  private String heading() {
    return "%s on %s: %s of %s at %s blocks"
        .formatted(
            policy,
            String.join(", ", traces.stream().map(ReplayReport::trace).toList()),
            Format.count(search.trials().size(), "combination", "combinations"),
            search.ranges().stream().map(SettingRange::key).collect(Collectors.joining(", ")),
            traces.stream()
                .flatMap(each -> each.capacities().stream())
                .distinct()
                .sorted()
                .map(Format::count)
                .collect(Collectors.joining(" / ")));
  }

  private List<String> table() {
    List<TuningReport.Result> results = report.results();
    List<Row> rows =
        IntStream.range(0, results.size())
            .filter(i -> i < MOST_ROWS || results.get(i).trial().isCurrent())
            .mapToObj(i -> row(results.get(i)))
            .collect(Collectors.toCollection(ArrayList::new));
    Row lru = row(null, false, report.lru());
    if (lru.failure() == null) {
      rows.add(lru);
    }
    Columns<Row> columns =
        Columns.of(
            Row.class,
            """
            >RANK | {place}
            SETTINGS | {values}
            >FIRST HALF | [{?failure}failed][{!failure}{firstHalf:%.2f%%}]
            >SECOND HALF | [{!failure}{secondHalf:%.2f%%}]
            >GAIN | [{!failure}{!current}{gain:points}]
            >+- | [{!failure}{!current}{marginPoints:%.2f}]
            """,
            new Computed<>("place", row -> row == lru ? "" : row.rank()),
            new Computed<>(
                "values", row -> row == lru ? "(lru)" : settings(row.current(), row.settings())),
            new Computed<>("marginPoints", row -> 100 * row.margin()));
    List<String> lines = new ArrayList<>(columns.lines(rows));
    if (results.size() > MOST_ROWS) {
      lines.add("the first %d of %d; --json writes all".formatted(MOST_ROWS, results.size()));
    }
    results.stream()
        .filter(result -> result.failure() != null)
        .limit(MOST_ROWS)
        .forEach(result ->
            lines.add("%s: %s".formatted(settings(result), Format.text(result.failure()))));
    return lines;
  }

  private static String lead(Difference gain) {
    return points(gain.points(), "%+.2f");
  }

  private static String margin(Difference gain) {
    return points(gain.margin(), "%.2f");
  }

  private static String settings(TuningReport.Result result) {
    return settings(result.trial().isCurrent(), result.trial().settings());
  }

  private static String settings(boolean current, Map<String, String> settings) {
    return current
        ? CURRENT
        : settings.entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(" "));
  }

  private String verdict() {
    Optional<TuningReport.Result> best = report.best();
    if (best.isEmpty()) {
      return "no combination could be replayed to the end of the traces";
    }
    TuningReport.Result first = best.get();
    if (first.trial().isCurrent()) {
      return "keep the current settings: no others had more hits in the first half";
    }
    Difference gain = first.gain();
    String lead = "%s points in the second half, +- %s".formatted(lead(gain), margin(gain));
    return report.recommended().isPresent()
        ? "better: %s (%s)".formatted(settings(first), lead)
        : "keep the current settings: the best of the first half, %s, is not clearly better in the second (%s)"
            .formatted(settings(first), lead);
  }

  private List<String> next(TuningReport.Result best) {
    String settings =
        best.trial().settings().entrySet().stream()
            .map(each -> each.getKey() + " = " + each.getValue())
            .collect(Collectors.joining(", "));
    return List.of(
        "next: ebb config set ebb.eviction.policies.%s='{ %s }'".formatted(policy, settings));
  }

  private static String points(double ratio, String format) {
    return Double.isFinite(ratio)
        ? String.format(Locale.ROOT, format, 100 * ratio)
        : Format.UNKNOWN;
  }
}

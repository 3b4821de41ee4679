package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.http.Json;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.statistics.Difference;
import dev.ebb.host.tuning.SettingRange;
import dev.ebb.host.tuning.TuningReport;
import dev.ebb.host.tuning.TuningResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
      @Nullable Double firstHalf,
      @Nullable Double secondHalf,
      @Nullable Double gain,
      @Nullable Double margin,
      List<Part> parts,
      @Nullable String failure) {}

  record Part(
      String trace, long capacityBlocks, @Nullable Double firstHalf, @Nullable Double secondHalf) {}

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

  private Row row(TuningResult result) {
    return row(
        result.failure() == null ? report.rank(result) : null, result.trial().isCurrent(), result);
  }

  private static Row row(@Nullable Integer rank, boolean current, TuningResult result) {
    return new Row(
        rank,
        current,
        result.trial().settings(),
        Json.known(result.firstHalf()),
        Json.known(result.secondHalf()),
        Json.known(result.gain().points()),
        Json.known(result.gain().margin()),
        result.parts().stream()
            .map(part ->
                new Part(
                    part.trace(),
                    part.capacityBlocks(),
                    Json.known(part.firstHalf()),
                    Json.known(part.secondHalf())))
            .toList(),
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
    TextTable table =
        new TextTable(">RANK", "SETTINGS", ">FIRST HALF", ">SECOND HALF", ">GAIN", ">+-");
    List<TuningResult> results = report.results();
    for (int i = 0; i < results.size(); i++) {
      TuningResult result = results.get(i);
      if (i < MOST_ROWS || result.trial().isCurrent()) {
        table.add(cells(result));
      }
    }
    if (report.lru().failure() == null) {
      table.add(lru(report.lru()));
    }
    List<String> lines = new ArrayList<>(table.lines());
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

  private List<String> cells(TuningResult result) {
    if (result.failure() != null) {
      return List.of(Format.UNKNOWN, settings(result), "failed", "", "", "");
    }
    boolean current = result.trial().isCurrent();
    return List.of(
        String.valueOf(report.rank(result)),
        settings(result),
        percent(result.firstHalf()),
        percent(result.secondHalf()),
        current ? "" : lead(result.gain()),
        current ? "" : margin(result.gain()));
  }

  private static List<String> lru(TuningResult result) {
    return List.of(
        "",
        "(lru)",
        percent(result.firstHalf()),
        percent(result.secondHalf()),
        lead(result.gain()),
        margin(result.gain()));
  }

  private static String lead(Difference gain) {
    return points(gain.points(), "%+.2f");
  }

  private static String margin(Difference gain) {
    return points(gain.margin(), "%.2f");
  }

  private static String settings(TuningResult result) {
    return result.trial().isCurrent()
        ? CURRENT
        : result.trial().settings().entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(" "));
  }

  private String verdict() {
    Optional<TuningResult> best = report.best();
    if (best.isEmpty()) {
      return "no combination could be replayed to the end of the traces";
    }
    TuningResult first = best.get();
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

  private List<String> next(TuningResult best) {
    String settings =
        best.trial().settings().entrySet().stream()
            .map(each -> each.getKey() + " = " + each.getValue())
            .collect(Collectors.joining(", "));
    return List.of(
        "next: ebb config set ebb.eviction.policies.%s='{ %s }'".formatted(policy, settings));
  }

  private static String percent(double ratio) {
    return points(ratio, "%.2f%%");
  }

  private static String points(double ratio, String format) {
    return Double.isFinite(ratio)
        ? String.format(Locale.ROOT, format, 100 * ratio)
        : Format.UNKNOWN;
  }
}

package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.PassDocument;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of evictions. Unknown values are null.
 *
 * @param sinceStart since the start of the process
 * @param removed the last removed entries by cause
 * @param passes the last passes by cause
 */
record EvictionStatistics(SinceStart sinceStart, List<Removed> removed, List<Passes> passes) {

  /**
   * Totals.
   *
   * @param averagePassSeconds mean time of an eviction pass
   * @param rePrefillRate fraction of evicted entries that were requested again
   * @param fairness Jain's index over tenants' hit ratios
   */
  record SinceStart(
      long evicted,
      @Nullable Long expired,
      @Nullable Long notAdmitted,
      long passes,
      @Nullable Double averagePassSeconds,
      @Nullable Double rePrefillRate,
      @Nullable Double fairness) {

    private static SinceStart of(ProcessDocument stats) {
      return switch (stats) {
        case StatsDocument values ->
            new SinceStart(
                values.traffic().evicted(),
                values.traffic().expired(),
                values.traffic().notAdmitted(),
                values.evictions().passes(),
                average(values.latencies().evicting()),
                values.evictions().rePrefillRate(),
                values.fairness());
        case EngineDocument engine ->
            new SinceStart(
                engine.evictions().entries(),
                null,
                null,
                engine.evictions().passes(),
                null,
                engine.evictions().rePrefillRate(),
                engine.fairness());
      };
    }

    private static @Nullable Double average(StatsDocument.Took passes) {
      return passes.count() == 0 ? null : passes.seconds() / passes.count();
    }

    private List<String> lines() {
      return List.of(
          "since the start: %s evicted%s"
              .formatted(
                  Format.count(evicted),
                  expired == null
                      ? ""
                      : ", %s expired, %s not stored (they did not fit, or were rejected)"
                          .formatted(Format.count(expired), Format.count(notAdmitted))),
          "%s%s; re-prefill rate %s; fairness between tenants %s"
              .formatted(
                  Format.count(passes, "pass", "passes"),
                  averagePassSeconds == null
                      ? ""
                      : ", %s on average".formatted(TimeSpan.format(averagePassSeconds)),
                  Format.percent(rePrefillRate),
                  Format.decimal(fairness)));
    }
  }

  /** Removed entries of one cause: their size together, the rest in medians. */
  record Removed(
      String cause,
      long entries,
      double share,
      long bytes,
      double ageSeconds,
      double idleSeconds,
      double accesses) {

    private static Removed of(String cause, List<EvictionDocument> of, int all) {
      return new Removed(
          cause,
          of.size(),
          (double) of.size() / all,
          sum(of, EvictionDocument::bytes),
          median(of, EvictionDocument::ageSeconds),
          median(of, EvictionDocument::idleSeconds),
          median(of, EvictionDocument::accesses));
    }

    private List<String> row() {
      return List.of(
          Format.text(cause),
          Format.count(entries),
          String.format(Locale.ROOT, "%.1f %%", 100 * share),
          ByteSize.format(bytes),
          TimeSpan.format(ageSeconds),
          TimeSpan.format(idleSeconds),
          Format.count(accesses));
    }
  }

  /** Passes of one cause. */
  record Passes(
      String cause,
      long passes,
      long entries,
      long freedBytes,
      long refused,
      double averageSeconds,
      double medianSeconds,
      double longestSeconds) {

    private static Passes of(String cause, List<PassDocument> of) {
      return new Passes(
          cause,
          of.size(),
          sum(of, PassDocument::entries),
          sum(of, PassDocument::freedBytes),
          sum(of, PassDocument::refused),
          of.stream().mapToDouble(PassDocument::seconds).average().orElse(0),
          median(of, PassDocument::seconds),
          of.stream().mapToDouble(PassDocument::seconds).max().orElse(0));
    }

    private List<String> row() {
      return List.of(
          Format.text(cause),
          Format.count(passes),
          Format.count(entries),
          ByteSize.format(freedBytes),
          Format.count(refused),
          TimeSpan.format(averageSeconds),
          TimeSpan.format(medianSeconds),
          TimeSpan.format(longestSeconds));
    }
  }

  static EvictionStatistics of(ProcessDocument stats, EvictionDocument.Log log) {
    List<EvictionDocument> entries = log.evictions();
    return new EvictionStatistics(
        SinceStart.of(stats),
        groups(entries, EvictionLines::cause, (cause, of) -> Removed.of(cause, of, entries.size())),
        groups(log.passes(), PassDocument::by, Passes::of));
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>(sinceStart.lines());
    lines.add("");
    if (removed.isEmpty()) {
      lines.add("nothing was removed since the start");
      return lines;
    }
    long entries = sum(removed, Removed::entries);
    lines.add(
        entries == 1
            ? "the last entry"
            : "the last %s entries: their size together, the rest in medians"
                .formatted(Format.count(entries)));
    lines.addAll(
        table(
            removed,
            Removed::row,
            "CAUSE",
            ">ENTRIES",
            ">SHARE",
            ">SIZE",
            ">AGE",
            ">IDLE",
            ">USES"));
    if (!passes.isEmpty()) {
      long of = sum(passes, Passes::passes);
      lines.add("");
      lines.add(of == 1 ? "the last pass" : "the last %s passes".formatted(Format.count(of)));
      lines.addAll(
          table(
              passes,
              Passes::row,
              "CAUSE",
              ">PASSES",
              ">ENTRIES",
              ">FREED",
              ">REFUSED",
              ">AVERAGE TIME",
              ">MEDIAN",
              ">LONGEST"));
    }
    return lines;
  }

  private static <R> List<String> table(
      List<R> records, Function<R, List<String>> row, String... columns) {
    TextTable table = new TextTable(columns);
    records.forEach(each -> table.add(row.apply(each)));
    return table.lines();
  }

  private interface Sum<R, S> {
    S of(String cause, List<R> records);
  }

  private static <R, S> List<S> groups(List<R> records, Function<R, String> cause, Sum<R, S> sum) {
    Map<String, List<R>> byCause =
        records.stream().collect(Collectors.groupingBy(cause, TreeMap::new, Collectors.toList()));
    return byCause.entrySet().stream().map(each -> sum.of(each.getKey(), each.getValue())).toList();
  }

  private static <R> long sum(List<R> of, ToLongFunction<R> number) {
    return of.stream().mapToLong(number).sum();
  }

  private static <R> double median(List<R> of, ToDoubleFunction<R> number) {
    return of.stream().mapToDouble(number).sorted().skip(of.size() / 2).findFirst().orElse(0);
  }
}

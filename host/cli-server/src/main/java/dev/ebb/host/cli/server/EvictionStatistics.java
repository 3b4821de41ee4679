package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.PassDocument;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;
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

  private static final TextTemplate<SinceStart> SINCE_START =
      TextTemplate.of(
          SinceStart.class,
          """
          since the start: {evicted:count} evicted[, {expired:count} expired, {notAdmitted:count} not stored (they did not fit, or were rejected)]
          {passes:pass|passes}[, {averagePassSeconds:seconds} on average]; re-prefill rate {rePrefillRate:percent}; fairness between tenants {fairness:decimal}
          """);

  private static final Columns<Removed> REMOVED =
      Columns.of(
          Removed.class,
          """
          CAUSE | {cause}
          >ENTRIES | {entries:count}
          >SHARE | {share:percent}
          >SIZE | {bytes:bytes}
          >AGE | {ageSeconds:seconds}
          >IDLE | {idleSeconds:seconds}
          >USES | {accesses:count}
          """);

  private static final Columns<Passes> PASSES =
      Columns.of(
          Passes.class,
          """
          CAUSE | {cause}
          >PASSES | {passes:count}
          >ENTRIES | {entries:count}
          >FREED | {freedBytes:bytes}
          >REFUSED | {refused:count}
          >AVERAGE TIME | {averageSeconds:seconds}
          >MEDIAN | {medianSeconds:seconds}
          >LONGEST | {longestSeconds:seconds}
          """);

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
                values.evictions().entries(),
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
  }

  static EvictionStatistics of(ProcessDocument stats, EvictionDocument.Log log) {
    List<EvictionDocument> entries = log.evictions();
    return new EvictionStatistics(
        SinceStart.of(stats),
        groups(entries, EvictionLines::cause, (cause, of) -> Removed.of(cause, of, entries.size())),
        groups(log.passes(), PassDocument::by, Passes::of));
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>(SINCE_START.lines(sinceStart));
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
    lines.addAll(REMOVED.lines(removed));
    if (!passes.isEmpty()) {
      long of = sum(passes, Passes::passes);
      lines.add("");
      lines.add(of == 1 ? "the last pass" : "the last %s passes".formatted(Format.count(of)));
      lines.addAll(PASSES.lines(passes));
    }
    return lines;
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

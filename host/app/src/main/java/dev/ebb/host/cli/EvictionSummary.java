package dev.ebb.host.cli;

import dev.ebb.host.admin.EvictionDocument;
import dev.ebb.host.admin.PassDocument;
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

/** A summary of removed entries. */
final class EvictionSummary {

  private EvictionSummary() {}

  static List<String> lines(EvictionDocument.Log log) {
    List<EvictionDocument> entries = log.evictions();
    if (entries.isEmpty()) {
      return List.of("", "nothing was removed since the start");
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        entries.size() == 1
            ? "the last entry"
            : "the last %s entries: their size together, the rest in medians"
                .formatted(Format.count(entries.size())));
    lines.addAll(byCause(entries));
    List<PassDocument> passes = log.passes();
    if (!passes.isEmpty()) {
      lines.add("");
      lines.add(
          passes.size() == 1
              ? "the last pass"
              : "the last %s passes".formatted(Format.count(passes.size())));
      lines.addAll(byOccasion(passes));
    }
    return lines;
  }

  private static List<String> byCause(List<EvictionDocument> entries) {
    TextTable table =
        new TextTable("CAUSE", ">ENTRIES", ">SHARE", ">SIZE", ">AGE", ">IDLE", ">USES");
    groups(entries, EvictionLines::cause)
        .forEach((cause, of) ->
            table.add(
                List.of(
                    cause,
                    Format.count(of.size()),
                    String.format(Locale.ROOT, "%.1f %%", 100.0 * of.size() / entries.size()),
                    ByteSize.format(sum(of, EvictionDocument::bytes)),
                    TimeSpan.format(median(of, EvictionDocument::ageSeconds)),
                    TimeSpan.format(median(of, EvictionDocument::idleSeconds)),
                    Format.count(median(of, EvictionDocument::accesses)))));
    return table.lines();
  }

  private static List<String> byOccasion(List<PassDocument> passes) {
    TextTable table =
        new TextTable(
            "CAUSE", ">PASSES", ">ENTRIES", ">FREED", ">REFUSED", ">MEDIAN TIME", ">LONGEST");
    groups(passes, PassDocument::by)
        .forEach((occasion, of) ->
            table.add(
                List.of(
                    occasion,
                    Format.count(of.size()),
                    Format.count(sum(of, PassDocument::entries)),
                    ByteSize.format(sum(of, PassDocument::freedBytes)),
                    Format.count(sum(of, PassDocument::refused)),
                    TimeSpan.format(median(of, PassDocument::seconds)),
                    TimeSpan.format(
                        of.stream().mapToDouble(PassDocument::seconds).max().orElse(0)))));
    return table.lines();
  }

  private static <R> Map<String, List<R>> groups(List<R> records, Function<R, String> cause) {
    return records.stream()
        .collect(
            Collectors.groupingBy(
                record -> Format.text(cause.apply(record)), TreeMap::new, Collectors.toList()));
  }

  private static <R> long sum(List<R> of, ToLongFunction<R> number) {
    return of.stream().mapToLong(number).sum();
  }

  private static <R> double median(List<R> of, ToDoubleFunction<R> number) {
    return of.stream().mapToDouble(number).sorted().skip(of.size() / 2).findFirst().orElse(0);
  }
}

package dev.ebb.host.cli;

import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Records of what left, summed up. */
final class EvictionSummary {

  private EvictionSummary() {}

  static List<String> lines(Fields log) {
    List<Fields> entries = log.list("/evictions");
    if (entries.isEmpty()) {
      return List.of("", "nothing has left since the start");
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        entries.size() == 1
            ? "the last entry"
            : "the last %s entries: their size together, the rest in medians"
                .formatted(count(entries.size())));
    lines.addAll(byCause(entries));
    List<Fields> passes = log.list("/passes");
    if (!passes.isEmpty()) {
      lines.add("");
      lines.add(
          passes.size() == 1
              ? "the last pass"
              : "the last %s passes".formatted(count(passes.size())));
      lines.addAll(byOccasion(passes));
    }
    return lines;
  }

  private static List<String> byCause(List<Fields> entries) {
    TextTable table =
        new TextTable("CAUSE", ">ENTRIES", ">SHARE", ">SIZE", ">AGE", ">IDLE", ">USES");
    groups(entries)
        .forEach((cause, of) ->
            table.add(
                List.of(
                    cause,
                    count(of.size()),
                    String.format(Locale.ROOT, "%.1f %%", 100.0 * of.size() / entries.size()),
                    ByteSize.format((long) sum(of, "/bytes")),
                    TimeSpan.format(median(of, "/ageSeconds")),
                    TimeSpan.format(median(of, "/idleSeconds")),
                    count(median(of, "/accesses")))));
    return table.lines();
  }

  private static List<String> byOccasion(List<Fields> passes) {
    TextTable table =
        new TextTable(
            "CAUSE", ">PASSES", ">ENTRIES", ">FREED", ">REFUSED", ">MEDIAN TIME", ">LONGEST");
    groups(passes)
        .forEach((occasion, of) ->
            table.add(
                List.of(
                    occasion,
                    count(of.size()),
                    count(sum(of, "/entries")),
                    ByteSize.format((long) sum(of, "/freedBytes")),
                    count(sum(of, "/refused")),
                    TimeSpan.format(median(of, "/seconds")),
                    TimeSpan.format(sorted(of, "/seconds").getLast()))));
    return table.lines();
  }

  /** On whose account says more than that something was evicted. */
  private static Map<String, List<Fields>> groups(List<Fields> records) {
    return records.stream()
        .collect(
            Collectors.groupingBy(
                record -> record.has("/by") ? record.text("/by") : record.text("/cause"),
                TreeMap::new,
                Collectors.toList()));
  }

  private static double sum(List<Fields> of, String pointer) {
    return sorted(of, pointer).stream().mapToDouble(Double::doubleValue).sum();
  }

  private static double median(List<Fields> of, String pointer) {
    return sorted(of, pointer).get(of.size() / 2);
  }

  private static List<Double> sorted(List<Fields> of, String pointer) {
    return of.stream()
        .map(record -> record.number(pointer))
        .map(number -> Double.isNaN(number) ? 0 : number)
        .sorted()
        .toList();
  }

  private static String count(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }
}

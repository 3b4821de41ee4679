package dev.ebb.host.cli;

import dev.ebb.host.plugin.PluginReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Plugins as a table for a terminal: a line each, and under it why one is not as it should be. */
final class PluginTable {

  private static final int HASH_DIGITS = 12;
  private static final int WIDTH = 100;
  private static final String INDENT = "    ";

  private PluginTable() {}

  static List<String> lines(List<PluginReport> reports) {
    TextTable table = new TextTable("PLUGIN", "VERSION", "SHA-256", "STATE", "STRATEGIES");
    reports.forEach(report -> table.add(row(report)));
    List<String> rows = table.lines();
    List<String> lines = new ArrayList<>();
    lines.add(rows.getFirst());
    for (int i = 0; i < reports.size(); i++) {
      lines.add(rows.get(i + 1));
      PluginReport report = reports.get(i);
      if (!report.reason().isEmpty()) {
        lines.addAll(wrap(report.file().getFileName() + ": " + report.reason()));
      }
    }
    return lines;
  }

  private static List<String> row(PluginReport report) {
    String hash = report.sha256();
    return List.of(
        known(report.id()),
        known(report.version()),
        known(hash == null ? null : hash.substring(0, HASH_DIGITS)),
        report.state().name().toLowerCase(Locale.ROOT).replace('_', ' '),
        strategies(report.strategies()));
  }

  /** Policies are what most plugins offer, so only other kinds are named. */
  private static String strategies(Map<String, List<String>> byKind) {
    return byKind.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(kind ->
            (kind.getKey().equals("policies") ? "" : kind.getKey() + ": ")
                + String.join(", ", kind.getValue()))
        .collect(Collectors.joining("; "));
  }

  private static String known(@Nullable String text) {
    return text == null ? "-" : text;
  }

  private static List<String> wrap(String text) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(INDENT);
    for (String word : text.split(" ", -1)) {
      if (line.length() > INDENT.length() && line.length() + word.length() >= WIDTH) {
        lines.add(line.toString().stripTrailing());
        line = new StringBuilder(INDENT);
      }
      line.append(word).append(' ');
    }
    lines.add(line.toString().stripTrailing());
    return lines;
  }
}

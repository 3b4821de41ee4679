package dev.ebb.host.cli.plugins;

import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Plugins as a table for a terminal: a line each, followed by its problem, if any. */
final class PluginTable {

  private static final int HASH_DIGITS = 12;
  private static final int WIDTH = 100;
  private static final String INDENT = "    ";

  private PluginTable() {}

  /** A line for each plugin. */
  static List<String> lines(PluginsDocument document) {
    List<PluginsDocument.Plugin> plugins = document.plugins();
    if (plugins.isEmpty()) {
      return List.of(
          "no plugins in '%s'; drop a JAR there".formatted(Format.text(document.folder())));
    }
    TextTable table = new TextTable("PLUGIN", "VERSION", "SHA-256", "STATE", "STRATEGIES");
    plugins.forEach(plugin -> table.add(row(plugin)));
    List<String> rows = table.lines();
    List<String> lines = new ArrayList<>();
    lines.add(rows.getFirst());
    for (int i = 0; i < plugins.size(); i++) {
      lines.add(rows.get(i + 1));
      String reason = plugins.get(i).reason();
      if (!reason.isEmpty()) {
        String file = plugins.get(i).file();
        lines.addAll(wrap(file.substring(file.lastIndexOf('/') + 1) + ": " + reason));
      }
    }
    return lines;
  }

  private static List<String> row(PluginsDocument.Plugin plugin) {
    String hash = Format.text(plugin.sha256());
    return List.of(
        Format.text(plugin.id()),
        Format.text(plugin.version()),
        hash.substring(0, Math.min(HASH_DIGITS, hash.length())),
        Format.text(plugin.state()).replace('_', ' '),
        strategies(plugin.strategies()));
  }

  /** Policies are what most plugins offer, so only other kinds are named. */
  private static String strategies(Map<String, List<String>> byKind) {
    return byKind.entrySet().stream()
        .map(each ->
            (each.getKey().equals("policies") ? "" : each.getKey() + ": ")
                + Format.text(String.join(", ", each.getValue())))
        .collect(Collectors.joining("; "));
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

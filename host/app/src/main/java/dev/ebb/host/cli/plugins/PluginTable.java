package dev.ebb.host.cli.plugins;

import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Plugins as a table for a terminal: a line each, followed by its problem, if any. */
final class PluginTable {

  private static final int HASH_DIGITS = 12;
  private static final int WIDTH = 100;
  private static final String INDENT = "    ";

  private static final Columns<PluginsDocument.Plugin> PLUGINS =
      Columns.of(
          PluginsDocument.Plugin.class,
          """
          PLUGIN | {id}
          VERSION | {version}
          SHA-256 | {digits}
          STATE | {stateInWords}
          STRATEGIES | {offered}
          """,
          new Computed<>("digits", PluginTable::digits),
          new Computed<>("stateInWords", plugin -> plugin.state().replace('_', ' ')),
          new Computed<>("offered", plugin -> strategies(plugin.strategies())));

  private PluginTable() {}

  static List<String> lines(PluginsDocument document) {
    List<PluginsDocument.Plugin> plugins = document.plugins();
    if (plugins.isEmpty()) {
      return List.of(
          "no plugins in '%s'; drop a JAR there".formatted(Format.text(document.folder())));
    }
    List<String> rows = PLUGINS.lines(plugins);
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

  private static String digits(PluginsDocument.Plugin plugin) {
    String hash = Format.text(plugin.sha256());
    return hash.substring(0, Math.min(HASH_DIGITS, hash.length()));
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

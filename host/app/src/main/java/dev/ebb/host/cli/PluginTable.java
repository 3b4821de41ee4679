package dev.ebb.host.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Plugins as a table for a terminal: a line each, and under it why one is not as it should be. */
final class PluginTable {

  private static final int HASH_DIGITS = 12;
  private static final int WIDTH = 100;
  private static final String INDENT = "    ";

  private PluginTable() {}

  /** The lines for the document that {@link dev.ebb.host.admin.PluginJson} writes. */
  static List<String> lines(Fields document) {
    List<Fields> plugins = document.list("/plugins");
    if (plugins.isEmpty()) {
      return List.of("no plugins in '%s'; drop a JAR there".formatted(document.text("/folder")));
    }
    TextTable table = new TextTable("PLUGIN", "VERSION", "SHA-256", "STATE", "STRATEGIES");
    plugins.forEach(plugin -> table.add(row(plugin)));
    List<String> rows = table.lines();
    List<String> lines = new ArrayList<>();
    lines.add(rows.getFirst());
    for (int i = 0; i < plugins.size(); i++) {
      lines.add(rows.get(i + 1));
      String reason = plugins.get(i).raw("/reason");
      if (!reason.isEmpty()) {
        String file = plugins.get(i).raw("/file");
        lines.addAll(wrap(file.substring(file.lastIndexOf('/') + 1) + ": " + reason));
      }
    }
    return lines;
  }

  private static List<String> row(Fields plugin) {
    String hash = plugin.text("/sha256");
    return List.of(
        plugin.text("/id"),
        plugin.text("/version"),
        hash.substring(0, Math.min(HASH_DIGITS, hash.length())),
        plugin.text("/state").replace('_', ' '),
        strategies(plugin.in("/strategies")));
  }

  /** Policies are what most plugins offer, so only other kinds are named. */
  private static String strategies(Fields byKind) {
    return byKind.names("").stream()
        .map(kind -> (kind.equals("policies") ? "" : kind + ": ") + names(byKind, kind))
        .collect(Collectors.joining("; "));
  }

  private static String names(Fields byKind, String kind) {
    return byKind.list("/" + kind).stream()
        .map(name -> name.text(""))
        .collect(Collectors.joining(", "));
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

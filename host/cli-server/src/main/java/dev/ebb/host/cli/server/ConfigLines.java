package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.cli.output.HoconText;
import dev.ebb.host.cli.policy.RuleLines;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The configuration for a terminal. */
public final class ConfigLines {

  private static final String POLICY = EvictionConfig.POLICY.path();

  /** A longer list would push the last column out of view. */
  private static final int LONG = 40;

  private ConfigLines() {}

  /** A table of all values, and the changes of the file that are not active. */
  public static List<String> values(ConfigDocument document) {
    TextTable table = new TextTable("KEY", "VALUE", "FROM");
    List<String> lists = new ArrayList<>();
    for (ConfigDocument.Value value : document.values()) {
      String from = value.origin() != null ? Format.text(value.origin()) : "default";
      table.add(List.of(Format.text(value.key()), shown(value, lists), from));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.addAll(lists);
    document
        .fileProblems()
        .forEach(problem ->
            lines.add("the file has changed, and is not active: " + Format.text(problem)));
    String keys = Format.text(String.join(", ", document.afterRestart()));
    if (!keys.isEmpty()) {
      lines.add("the file has changed, and a restart activates: " + keys);
    }
    return lines;
  }

  /** A value for its row; what a long list holds comes after the table, a line each. */
  private static String shown(ConfigDocument.Value value, List<String> lists) {
    String text = HoconText.of(value.value());
    List<?> items = value.value() instanceof List<?> list ? list : List.of();
    if (items.isEmpty() || text.length() <= LONG) {
      return text.isEmpty() ? "\"\"" : text;
    }
    lists.add(Format.text(value.key()) + " = [");
    items.forEach(item -> lists.add("  " + HoconText.element(item)));
    lists.add("]");
    return items.size() + " below";
  }

  /** The result of a change of these keys. */
  static List<String> changes(ConfigDocument.Changed answer, Set<String> keys) {
    boolean committed = answer.committed();
    List<String> lines = new ArrayList<>();
    for (RuntimeConfig.Change change : answer.changes()) {
      lines.add(
          "%s: '%s' -> '%s'"
              .formatted(
                  Format.text(change.key()),
                  HoconText.of(change.from()),
                  HoconText.of(change.to())));
    }
    lines.add(
        lines.isEmpty()
            ? "nothing changes: the values are active already"
            : committed ? "changed" : "not changed: this was a dry run");
    if (answer.rulesPaused() && keys.contains(POLICY)) {
      lines.add(
          committed
              ? "'%s' is active; %s".formatted(Format.text(answer.policy()), RuleLines.PAUSED)
              : "the rules would pause until 'ebb policy rules resume'");
    }
    return lines;
  }
}

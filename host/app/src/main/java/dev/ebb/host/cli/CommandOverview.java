package dev.ebb.host.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands in {@code ebb --help}: first steps, then a line for each command, in groups. */
final class CommandOverview {

  private static final int INDENT = 2;

  /** What follows the first part of a description. */
  private static final Pattern REST = Pattern.compile("([:;.] |, and shows |, from ).*");

  private static final Map<String, String> FIRST_STEPS = new LinkedHashMap<>();
  private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    FIRST_STEPS.put("ebb replay --synthetic chat", "compare the installed policies");
    FIRST_STEPS.put("ebb serve --pool-size '1 GiB'", "start a server for Redis clients");
    FIRST_STEPS.put("ebb plugins new my-policy", "create the project of a policy");
    FIRST_STEPS.put("ebb help replay", "options and examples of a command");
    GROUPS.put("Servers and models", List.of("serve", "engine", "generate", "segment", "tiers"));
    GROUPS.put("Comparing policies", List.of("replay", "tune", "fit", "tokens", "record", "bench"));
    GROUPS.put(
        "A running Ebb",
        List.of(
            "stats", "top", "policy", "rollout", "eviction", "logs", "pool", "models", "cluster"));
    GROUPS.put("Its entries", List.of("keys", "explain", "evict", "pin", "unpin", "pins"));
    GROUPS.put("Plugins and configuration", List.of("plugins", "config", "users"));
    GROUPS.put("Help", List.of("help", "completion", "version"));
  }

  private CommandOverview() {}

  /** Replaces the list of commands in the help of {@code ebb}. */
  static void install(CommandLine root) {
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandOverview::text);
  }

  private static String text(Help help) {
    StringBuilder text = new StringBuilder();
    section(text, help, "First steps", FIRST_STEPS);
    Map<String, CommandLine> left =
        new LinkedHashMap<>(help.commandSpec().commandLine().getSubcommands());
    GROUPS.forEach((title, names) -> section(text, help, title, removed(names, left)));
    section(text, help, "Others", removed(new ArrayList<>(left.keySet()), left));
    return text.toString();
  }

  /** Returns the descriptions of existing commands, and removes these. */
  private static Map<String, String> removed(List<String> names, Map<String, CommandLine> left) {
    Map<String, String> descriptions = new LinkedHashMap<>();
    for (String name : names) {
      CommandLine command = left.remove(name);
      if (command != null) {
        descriptions.put(
            name,
            REST.matcher(String.join(" ", command.getCommandSpec().usageMessage().description()))
                .replaceFirst(""));
      }
    }
    return descriptions;
  }

  private static void section(
      StringBuilder text, Help help, String title, Map<String, String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    int width = help.commandSpec().usageMessage().width();
    int left = INDENT + lines.keySet().stream().mapToInt(String::length).max().orElse(0);
    Help.TextTable table =
        Help.TextTable.forColumns(
            help.colorScheme(),
            new Column(left, INDENT, Overflow.SPAN),
            new Column(width - left, INDENT, Overflow.WRAP));
    lines.forEach(table::addRowValues);
    text.append("%n%s:%n".formatted(title)).append(table);
  }
}

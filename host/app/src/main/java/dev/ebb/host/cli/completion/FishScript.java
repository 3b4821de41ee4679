package dev.ebb.host.cli.completion;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion script for fish, which picocli does not write. fish uses it for {@code ebb} and
 * for a path to it.
 *
 * @see <a href="https://fishshell.com/docs/current/completions.html">Writing your own
 *     completions</a>
 */
public final class FishScript {

  private static final String FUNCTIONS =
      """
      # The commands on the line, each after a space: ' policy set' for 'ebb policy --json set lru'.
      function __COMMAND_command
          set -l path ''
          for word in (commandline -opc)[2..-1]
              if contains -- "$path $word" $__COMMAND_commands
                  set path "$path $word"
              end
          end
          echo "$path"
      end
      complete -c COMMAND -f
      """;

  private final String name;
  private final List<String> paths = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  private FishScript(String name) {
    this.name = name;
  }

  public static String of(CommandLine root) {
    FishScript script = new FishScript(root.getCommandName());
    script.add("", root.getCommandSpec());
    return Stream.of(
            Stream.of(
                "# fish completion for %s".formatted(script.name),
                script.paths.stream()
                    .map(FishScript::quoted)
                    .collect(
                        Collectors.joining(
                            " ", "set -g __%s_commands ".formatted(script.name), ""))),
            FUNCTIONS.replace("COMMAND", script.name).lines(),
            script.lines.stream())
        .flatMap(each -> each)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private void add(String path, CommandSpec command) {
    command.options().stream()
        .filter(option -> !option.hidden())
        .forEach(option -> complete(path, option(option)));
    command.positionalParameters().forEach(parameter -> addParameter(path, parameter));
    for (Map.Entry<String, CommandLine> each : command.subcommands().entrySet()) {
      CommandSpec below = each.getValue().getCommandSpec();
      if (!below.usageMessage().hidden()) {
        complete(
            path, "-a " + quoted(each.getKey()) + description(below.usageMessage().description()));
        paths.add(path + " " + each.getKey());
        add(path + " " + each.getKey(), below);
      }
    }
  }

  private void addParameter(String path, PositionalParamSpec parameter) {
    String values = values(parameter);
    if (values != null) {
      complete(path, "-a " + quoted(values));
    } else if (isFile(parameter)) {
      complete(path, "-F");
    }
  }

  private void complete(String path, String what) {
    lines.add(
        "complete -c %s -n %s %s"
            .formatted(name, quoted("test (__%s_command) = \"%s\"".formatted(name, path)), what));
  }

  private static String option(OptionSpec option) {
    String names =
        Stream.of(option.names())
            .map(each ->
                each.startsWith("--") ? "-l " + each.substring(2) : "-s " + each.substring(1))
            .collect(Collectors.joining(" "));
    return names + value(option) + description(option.description());
  }

  private static String value(OptionSpec option) {
    String values = values(option);
    if (option.arity().max() == 0) {
      return "";
    }
    return values != null ? " -x -a " + quoted(values) : isFile(option) ? " -r -F" : " -x";
  }

  private static @Nullable String values(ArgSpec argument) {
    Iterable<String> candidates = argument.completionCandidates();
    return candidates == null
        ? null
        : StreamSupport.stream(candidates.spliterator(), false).collect(Collectors.joining(" "));
  }

  private static boolean isFile(ArgSpec argument) {
    String label = argument.paramLabel().toUpperCase(Locale.ROOT);
    return argument.type() == Path.class || label.contains("FILE") || label.contains("DIR");
  }

  /** Returns the start of a description; the others are for {@code --help}. */
  private static String description(String[] description) {
    String text = description.length == 0 ? "" : description[0];
    String start = text.replaceFirst("[;:(.] .*| \\(.*", "").replaceAll("%%|[`$\\\\]", "").strip();
    return start.isEmpty() || start.contains("{") ? "" : " -d " + quoted(start);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}

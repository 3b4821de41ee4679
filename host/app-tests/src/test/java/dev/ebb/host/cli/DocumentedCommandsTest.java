package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.options.OptionValues;
import dev.ebb.host.docs.GeneratedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Checks that docs/cli.md lists every command, and that the help has valid examples of each. */
class DocumentedCommandsTest {

  private static final Pattern SEE = Pattern.compile("docs/([a-z-]+\\.md)");
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

  /** Returns the commands that these arguments need; all if there are none. */
  private static CommandLine ebb(String... arguments) {
    CommandLine ebb = EbbMain.commandLine(arguments);
    OptionalCommands.addTo(ebb, arguments);
    return OptionValues.register(ebb);
  }

  private static Stream<CommandLine> commands() {
    return runnable(ebb());
  }

  /** Returns the commands without those that only contain others. */
  private static Stream<CommandLine> runnable(CommandLine command) {
    Stream<CommandLine> below =
        command.getSubcommands().values().stream().flatMap(DocumentedCommandsTest::runnable);
    boolean isGroup =
        !command.getSubcommands().isEmpty()
            && !(command.getCommandSpec().userObject() instanceof Callable);
    return isGroup ? below : Stream.concat(Stream.of(command), below);
  }

  @Test
  void thePageListsEveryCommand() {
    GeneratedTable.check(
        "cli.md",
        "commands",
        DocumentedCommandsTest.class,
        List.of("command", "purpose", "page"),
        // The commands of an optional module are one here.
        commands().map(DocumentedCommandsTest::row).distinct().toList());
  }

  private static List<String> row(CommandLine command) {
    CommandLine.Model.CommandSpec spec = command.getCommandSpec();
    String help = command.setUsageHelpWidth(400).getUsageMessage();
    return List.of(
        "`" + spec.qualifiedName() + "`",
        String.join(" ", spec.usageMessage().description()).replaceFirst("[:;.] .*", ""),
        SEE.matcher(help)
            .results()
            .map(see -> "[%1$s](%1$s)".formatted(see.group(1)))
            .collect(Collectors.joining(", ")));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void theHelpHasExamplesThatCanBeTyped(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    String help = command.setUsageHelpWidth(400).getUsageMessage();
    List<String> examples =
        help.lines()
            .dropWhile(line -> !line.startsWith("Examples:"))
            .map(
                line -> line.strip().replaceFirst("^(\\S+=\\S+ )+", "").replaceFirst("^.*\\| ", ""))
            .filter(line -> line.startsWith("ebb "))
            .map(line -> line.replaceFirst(" (>|\\|) .*", "").replaceFirst(";.*", ""))
            .toList();

    assertThat(help).contains("Exit codes:");
    assertThat(help.lines().dropWhile(line -> !line.startsWith("Examples:"))).isNotEmpty();
    assertThat(examples).as(help).isNotEmpty().allMatch(line -> line.startsWith(name));
    examples.forEach(DocumentedCommandsTest::assertParses);
  }

  private static void assertParses(String example) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(example);
    while (matcher.find()) {
      words.add(matcher.group().replaceAll("['\"]", ""));
    }
    String[] arguments = words.subList(1, words.size()).toArray(String[]::new);
    ebb(arguments).parseArgs(arguments);
  }
}

package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Checks that docs/cli.md and the help have valid examples of every command. */
class DocumentedCommandsTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "cli.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(ebb [^`|]+)` \\| [^|]+ \\|$");
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

  private static CommandLine ebb() {
    CommandLine ebb = EbbMain.commandLine();
    OptionalCommands.addTo(ebb);
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

  private static List<String> names() {
    return commands().map(each -> each.getCommandSpec().qualifiedName()).toList();
  }

  private static List<String> examples() throws IOException {
    return ROW.matcher(Files.readString(PAGE)).results().map(row -> row.group(1)).toList();
  }

  @Test
  void thePageHasAnExampleOfEveryCommand() throws IOException {
    List<String> names = names();
    List<String> documented =
        examples().stream()
            .flatMap(example ->
                names.stream()
                    .filter(name -> (example + " ").startsWith(name + " "))
                    .max(Comparator.comparingInt(String::length))
                    .stream())
            // The commands of an optional module are one here.
            .distinct()
            .toList();

    assertThat(documented).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void theExamplesOnThePageCanBeTyped() throws IOException {
    examples().forEach(DocumentedCommandsTest::assertParses);
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
    ebb().parseArgs(words.subList(1, words.size()).toArray(String[]::new));
  }
}

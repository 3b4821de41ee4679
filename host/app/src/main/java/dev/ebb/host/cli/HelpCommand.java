package dev.ebb.host.cli;

import dev.ebb.host.errors.Suggestions;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb help}: the same as {@code --help}. */
@Command(
    name = HelpCommand.NAME,
    description = "Prints the help of ebb, or of a command",
    footer = {"  ebb help", "  ebb help plugins install"})
final class HelpCommand implements Runnable {

  static final String NAME = "help";

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "A command")
  private List<String> words = List.of();

  @Override
  public void run() {
    CommandLine command = spec.root().commandLine();
    for (String word : words) {
      Map<String, CommandLine> commands = command.getSubcommands();
      CommandLine next = commands.get(word);
      if (next == null) {
        throw new ParameterException(
            spec.commandLine(),
            "no command '%s' below '%s'%s"
                .formatted(
                    word,
                    command.getCommandSpec().qualifiedName(),
                    Suggestions.hint(word, commands.keySet())));
      }
      command = next;
    }
    command.usage(spec.commandLine().getOut());
  }
}

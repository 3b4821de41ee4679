package dev.ebb.host.cli.options;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only contains others, such as {@code ebb pool}. */
public abstract class CommandGroup implements Runnable {

  private static final String EXAMPLES = "%nExamples:%n";

  private final List<String> order;

  @Spec private CommandSpec spec;

  /** Creates a group that shows its commands in this order; picocli sorts those of methods. */
  public CommandGroup(String... order) {
    this.order = List.of(order);
  }

  public final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public final CommandSpec spec() {
    return spec;
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is missing; choose one of " + String.join(", ", spec.subcommands().keySet()));
  }

  /** Orders the commands of each group below a command, and heads the examples of each command. */
  public static void arrange(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    if (spec.userObject() instanceof CommandGroup group) {
      group.order.forEach(name -> spec.addSubcommand(name, spec.removeSubcommand(name)));
    }
    if (spec.usageMessage().footer().length > 0) {
      spec.usageMessage().footerHeading(EXAMPLES);
    }
    command.getSubcommands().values().forEach(CommandGroup::arrange);
  }
}

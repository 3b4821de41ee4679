package dev.ebb.host.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The group {@code ebb plugins}. */
@Command(
    name = "plugins",
    description = "Shows the plugins in the drop-in folder",
    subcommands = {PluginsListCommand.class})
final class PluginsCommand implements Runnable {

  @Spec private CommandSpec spec;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}

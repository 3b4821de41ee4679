package dev.ebb.host.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The group {@code ebb pool}. */
@Command(
    name = "pool",
    description = "Plans the memory that holds KV blocks",
    subcommands = {PoolSizeCommand.class})
final class PoolCommand implements Runnable {

  @Spec private CommandSpec spec;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  PoolCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}

package dev.ebb.host.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only contains others, such as {@code ebb pool}. */
abstract class CommandGroup implements Runnable {

  @Spec private CommandSpec spec;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  CommandGroup() {}

  @Override
  public final void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing; see --help");
  }
}

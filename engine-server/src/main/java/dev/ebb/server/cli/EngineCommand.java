package dev.ebb.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ebb engine}. */
@Command(
    name = "engine",
    description =
        "Serves a model with llama.cpp or Jlama over the OpenAI API, with Ebb's prefix cache",
    mixinStandardHelpOptions = true,
    subcommands = {
      EngineStartCommand.class,
      EngineSequencesCommand.class,
      EngineMoveCommand.class,
      DemoModelCommand.class
    })
final class EngineCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing; see --help");
  }
}

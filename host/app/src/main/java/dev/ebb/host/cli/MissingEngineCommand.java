package dev.ebb.host.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ebb engine} where its module is missing. */
@Command(
    name = MissingEngineCommand.NAME,
    description = "Serves a model with llama.cpp; needs the module engine-llama, which is missing",
    footerHeading = "%nExamples:%n",
    footer = "  ebb engine start model.gguf")
final class MissingEngineCommand implements Callable<Integer> {

  static final String NAME = "engine";

  MissingEngineCommand() {}

  @Override
  public Integer call() {
    throw MissingGenerateCommand.missing(NAME);
  }
}

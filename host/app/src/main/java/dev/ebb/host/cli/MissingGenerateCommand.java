package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ebb generate} where its module is missing. */
@Command(
    name = MissingGenerateCommand.NAME,
    description =
        "Runs llama.cpp under a token policy; needs the module engine-llama, which is missing",
    footerHeading = "%nExamples:%n",
    footer = "  ebb generate --model model.gguf --prompt \"Once upon a time\"")
final class MissingGenerateCommand implements Callable<Integer> {

  static final String NAME = "generate";

  MissingGenerateCommand() {}

  @Override
  public Integer call() {
    throw missing(NAME);
  }

  /** Returns the error of a command whose module is missing. */
  static UserError missing(String command) {
    return new UserError(
        "%s needs engine-llama and its copy of llama.cpp in the folder 'optional' beside 'lib'; unpack the release again, or build it with 'mvn -DskipTests -pl dist -am package'"
            .formatted(command));
  }
}

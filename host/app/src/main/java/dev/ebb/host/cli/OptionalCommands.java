package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.OptionalJars;
import java.util.Comparator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The commands of optional modules. Their JARs are large and are searched only if the host's own
 * commands do not match, so that these start as fast as without them.
 */
final class OptionalCommands {

  private static final String FOLDER = "optional";

  private OptionalCommands() {}

  /** Adds the existing ones, and for a known but missing one, a command that says so. */
  static void addTo(CommandLine root, String... args) {
    if (!Subcommands.areAllNeeded(args)) {
      return;
    }
    try {
      ServiceLoader.load(CommandProvider.class, OptionalJars.loader(FOLDER)).stream()
          .map(ServiceLoader.Provider::get)
          .sorted(Comparator.comparing(CommandProvider::parent))
          .forEach(provider -> add(root, provider));
    } catch (ServiceConfigurationError | LinkageError wrong) {
      root.getErr()
          .println(
              "ebb: a JAR in the folder '%s' does not fit this Ebb: %s"
                  .formatted(FOLDER, wrong.getMessage()));
    }
    addMissing(root, new CommandLine(new MissingGenerate()));
    addMissing(root, new CommandLine(new MissingEngine()));
  }

  private static void add(CommandLine root, CommandProvider provider) {
    CommandLine parent =
        provider.parent().isEmpty() ? root : root.getSubcommands().get(provider.parent());
    if (parent != null) {
      parent.addSubcommand(provider.command());
    }
  }

  private static void addMissing(CommandLine root, CommandLine command) {
    if (!root.getSubcommands().containsKey(command.getCommandName())) {
      // The command answers the same, whatever its arguments.
      root.addSubcommand(command.setUnmatchedArgumentsAllowed(true));
    }
  }

  private abstract static class Missing implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      throw new UserError(
          "%s needs engine-llama and its copy of llama.cpp in the folder 'optional' beside 'lib'; unpack the release again, or build it with 'mvn -DskipTests -pl dist -am package'"
              .formatted(spec.name()));
    }
  }

  @Command(
      name = "engine",
      description =
          "Serves a model with llama.cpp or Jlama; needs the module engine-server, which is missing",
      footerHeading = "%nExamples:%n",
      footer = {"  ebb engine start model.gguf", "", "See docs/engine.md."})
  private static final class MissingEngine extends Missing {}

  @Command(
      name = "generate",
      description =
          "Runs llama.cpp under a token policy; needs the module engine-llama, which is missing",
      footerHeading = "%nExamples:%n",
      footer = {
        "  ebb generate --model model.gguf --prompt \"Once upon a time\"",
        "",
        "See docs/generate.md."
      })
  private static final class MissingGenerate extends Missing {}
}

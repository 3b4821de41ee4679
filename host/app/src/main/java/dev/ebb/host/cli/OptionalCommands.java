package dev.ebb.host.cli;

import dev.ebb.host.lifecycle.OptionalJars;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import picocli.CommandLine;

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
      ServiceLoader.load(CommandProvider.class, OptionalJars.loader(FOLDER))
          .forEach(provider -> root.addSubcommand(provider.command()));
    } catch (ServiceConfigurationError | LinkageError wrong) {
      root.getErr()
          .println(
              "ebb: a JAR in the folder '%s' does not fit this Ebb: %s"
                  .formatted(FOLDER, wrong.getMessage()));
    }
    addMissing(root, MissingGenerateCommand.NAME, new MissingGenerateCommand());
    addMissing(root, MissingEngineCommand.NAME, new MissingEngineCommand());
  }

  private static void addMissing(CommandLine root, String name, Object command) {
    if (!root.getSubcommands().containsKey(name)) {
      // The command answers the same, whatever its arguments.
      root.addSubcommand(new CommandLine(command).setUnmatchedArgumentsAllowed(true));
    }
  }
}

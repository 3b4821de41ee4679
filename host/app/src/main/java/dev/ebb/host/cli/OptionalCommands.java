package dev.ebb.host.cli;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
      ServiceLoader.load(CommandProvider.class, loader())
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

  /** Returns a loader, which is not closed: a command may run until the process exits. */
  private static ClassLoader loader() {
    ClassLoader own = OptionalCommands.class.getClassLoader();
    List<URL> jars = jars();
    return jars.isEmpty() ? own : new URLClassLoader(FOLDER, jars.toArray(URL[]::new), own);
  }

  private static List<URL> jars() {
    List<URL> jars = new ArrayList<>();
    try {
      Path libraries =
          Path.of(
                  OptionalCommands.class
                      .getProtectionDomain()
                      .getCodeSource()
                      .getLocation()
                      .toURI())
              .resolveSibling("");
      File[] files =
          libraries.resolveSibling(FOLDER).toFile().listFiles((dir, name) -> name.endsWith(".jar"));
      if (files != null) {
        Arrays.sort(files);
        for (File file : files) {
          jars.add(file.toURI().toURL());
        }
      }
    } catch (URISyntaxException | MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
    return jars;
  }
}

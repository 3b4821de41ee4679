package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb plugins install}: puts a JAR into the drop-in folder. */
@Command(
    name = "install",
    description =
        "Checks that a JAR loads, and that it removes no name that the configuration"
            + " needs, and puts it into the drop-in folder, replacing one of that name; a"
            + " running Ebb loads it within seconds, and this command reports the result",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins install acme-lru-1.0.0.jar",
      "  ebb plugins install acme-lru-1.0.0.jar --folder /opt/plugins"
    })
final class PluginsInstallCommand extends PluginFilesCommand {

  @Parameters(paramLabel = "FILE", description = "The plugin's JAR")
  private Path file;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsInstallCommand() {}

  @Override
  PluginFiles.Change change(PluginFiles files) {
    return files.install(file);
  }

  @Override
  List<String> made(PluginFiles.Change change, AdminClient client) {
    return PluginChangeLines.of(change, client);
  }
}

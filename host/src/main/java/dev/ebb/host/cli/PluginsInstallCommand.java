package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ebb plugins install}: puts a JAR into the drop-in folder. */
@Command(
    name = "install",
    description =
        "Loads a JAR to see that it can be, and then puts it into the drop-in folder, in place of"
            + " one of that name; a running Ebb takes it over within seconds, and this says how it"
            + " went there",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins install acme-lru-1.0.0.jar",
      "  ebb plugins install acme-lru-1.0.0.jar --folder /opt/plugins"
    })
final class PluginsInstallCommand extends PluginFilesCommand {

  @Mixin private ServerOption server;

  @Parameters(paramLabel = "FILE", description = "The plugin's JAR")
  private Path file;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsInstallCommand() {}

  @Override
  LoadedConfig load() {
    return server.load();
  }

  @Override
  PluginFiles.Change change(PluginFiles files, Path folder) {
    PluginFiles.Change change = files.install(file);
    try (AdminClient client = server.open()) {
      return TakeOver.of(change, client, folder);
    } catch (UserError noAnswer) {
      if (server.isGiven()) {
        throw noAnswer;
      }
      // None runs, or not one that this may be asked of: the folder is all there is to tell of.
      return change;
    }
  }
}

package dev.ebb.host.cli;

import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ebb plugins remove}: takes a plugin out of the drop-in folder. */
@Command(
    name = "remove",
    description =
        "Takes every JAR of a plugin out of the drop-in folder; if its policy is in force in a"
            + " running Ebb, ebb.plugins.on-removed says what happens",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins remove acme-lru",
      "  ebb plugins remove acme-lru --folder /opt/plugins"
    })
final class PluginsRemoveCommand extends PluginFilesCommand {

  @Mixin private ConfigOption config;

  @Parameters(paramLabel = "ID", description = "The plugin's id; see 'ebb plugins list'")
  private String id;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsRemoveCommand() {}

  @Override
  LoadedConfig load() {
    return config.load();
  }

  @Override
  PluginFiles.Change change(PluginFiles files, Path folder) {
    return files.remove(id);
  }
}

package dev.ebb.host.cli.options;

import dev.ebb.host.config.LoadedConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --folder}, for every command that works on the plugin folder. */
public final class FolderOption {

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The plugin folder; by default ebb.plugins.folder of the configuration")
  private @Nullable Path folder;

  public boolean isGiven() {
    return folder != null;
  }

  /** Returns the configuration with this folder; throws its mistakes. */
  public LoadedConfig of(LoadedConfig loaded) {
    return loaded.withPluginFolder(folder == null ? loaded.orThrow().plugins().folder() : folder);
  }
}

package dev.ebb.host.cli.options;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.hocon.ConfigOverride;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --config}, for every command that reads the configuration. */
public final class ConfigOption {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; by default ebb.conf in the working directory, if present")
  private @Nullable Path file;

  /** Reads the configuration, with its mistakes. */
  public LoadedConfig load() {
    return load(List.of());
  }

  /**
   * Reads the configuration, with its mistakes.
   *
   * @param options values that override it
   */
  public LoadedConfig load(List<ConfigOverride> options) {
    return ConfigLoader.ofProcess().load(file, options);
  }

  /** Returns the file as given; null for the default one. */
  public @Nullable Path file() {
    return file;
  }

  /** Returns the option as given, for another process. */
  public List<String> arguments() {
    return file == null ? List.of() : List.of("--config", file.toString());
  }
}

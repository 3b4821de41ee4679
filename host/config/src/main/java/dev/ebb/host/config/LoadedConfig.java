package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.nio.file.Path;
import java.util.List;

/**
 * A configuration and its mistakes. Kept together until the strategies' own settings have been
 * checked too, so that the user sees every mistake together.
 *
 * @param config the configuration, with defaults in place of wrong values
 * @param problems the mistakes, one message each
 */
public record LoadedConfig(EbbConfig config, List<String> problems, ConfigTree tree) {

  public LoadedConfig {
    problems = List.copyOf(problems);
  }

  /**
   * Returns the configuration if it has no mistakes.
   *
   * @throws UserError with every mistake
   */
  public EbbConfig orThrow() {
    UserError.throwIfAny(problems);
    return config;
  }

  /**
   * Returns the configuration with another plugin folder.
   *
   * @throws UserError if it has mistakes, with every mistake
   */
  public LoadedConfig withPluginFolder(Path folder) {
    return new LoadedConfig(orThrow().withPluginFolder(folder), problems, tree);
  }
}

package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.util.List;

/**
 * A configuration and what is wrong in it. Kept together until the strategies' own settings have
 * been checked too, so that the user sees every mistake at once.
 *
 * @param config the configuration; where a value was wrong, its default
 * @param problems the mistakes, one message each
 * @param tree where each value comes from
 */
public record LoadedConfig(EbbConfig config, List<String> problems, ConfigTree tree) {

  /** Copies the list. */
  public LoadedConfig {
    problems = List.copyOf(problems);
  }

  /**
   * The configuration, if nothing is wrong in it.
   *
   * @return the configuration
   * @throws UserError with every mistake
   */
  public EbbConfig orThrow() {
    UserError.throwIfAny(problems);
    return config;
  }
}

package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import java.util.Set;

/**
 * A change of the configuration, to be checked before it is made.
 *
 * @param before the active configuration
 * @param next the one wanted
 * @param given the full keys that it says a value of; those that it takes back are not among them
 */
public record ConfigChange(EbbConfig before, EbbConfig next, Set<String> given) {

  /** Takes a copy of the keys. */
  public ConfigChange {
    given = Set.copyOf(given);
  }
}

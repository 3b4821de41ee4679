package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import java.util.Set;

/**
 * A proposed configuration change, to be checked before it is committed.
 *
 * @param before the active configuration
 * @param next the proposed configuration
 * @param given the full keys that the change sets; keys that it unsets are not included
 */
public record ConfigChange(EbbConfig before, EbbConfig next, Set<String> given) {

  /** Copies the keys. */
  public ConfigChange {
    given = Set.copyOf(given);
  }
}

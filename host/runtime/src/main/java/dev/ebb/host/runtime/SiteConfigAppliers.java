package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.switching.SwitchCause;
import java.util.Map;

/**
 * The changes that a site applies outside its policies.
 *
 * @param settings by key, applies a changed value
 * @param pluginsChanged runs after plugins were loaded or unloaded, for strategies that are not
 *     policies of the site
 */
public record SiteConfigAppliers(Map<ConfigKey<?>, Applier> settings, Runnable pluginsChanged) {

  /** Copies the map. */
  public SiteConfigAppliers {
    settings = Map.copyOf(settings);
  }

  /** Applies a changed value. */
  @FunctionalInterface
  public interface Applier {

    /**
     * Applies a configuration.
     *
     * @param next the new configuration
     * @param cause the origin of the change
     */
    void apply(EbbConfig next, SwitchCause cause);
  }
}

package dev.ebb.host.runtime;

import dev.ebb.host.config.ConfigKey;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.swap.SwapCause;
import java.util.Map;

/**
 * The effects on a site of changes outside its policies.
 *
 * @param settings by key, the site's effect of a changed value
 * @param pluginsChanged runs after plugins were loaded or unloaded, for strategies that are not
 *     policies of the site
 */
public record SiteEffects(Map<ConfigKey<?>, Effect> settings, Runnable pluginsChanged) {

  /** Copies the map. */
  public SiteEffects {
    settings = Map.copyOf(settings);
  }

  /** The effect of a changed value. */
  @FunctionalInterface
  public interface Effect {

    /**
     * Applies a configuration.
     *
     * @param next the new configuration
     * @param cause the origin of the change
     */
    void apply(EbbConfig next, SwapCause cause);
  }
}

package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.swap.SwapCause;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What a site does when something outside its policies changes.
 *
 * @param settings by full key, what it does when a value of its own has changed
 * @param pluginsChanged runs when other plugins are loaded
 */
public record SiteEffects(
    Map<String, BiConsumer<EbbConfig, SwapCause>> settings, Runnable pluginsChanged) {

  /** Copies the map. */
  public SiteEffects {
    settings = Map.copyOf(settings);
  }
}

package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.swap.SwapCause;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The effects on a site of changes outside its policies.
 *
 * @param settings by full key, the site's effect of a changed value
 * @param pluginsChanged runs after plugins were loaded or unloaded
 */
public record SiteEffects(
    Map<String, BiConsumer<EbbConfig, SwapCause>> settings, Runnable pluginsChanged) {

  /** Copies the map. */
  public SiteEffects {
    settings = Map.copyOf(settings);
  }
}

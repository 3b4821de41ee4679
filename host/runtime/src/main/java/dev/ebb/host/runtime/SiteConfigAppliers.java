package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.switching.SwitchCause;
import java.util.Map;

/**
 * The changes that a site applies outside its policies.
 *
 * @param pluginsChanged runs after plugins were loaded or unloaded, for strategies that are not
 *     policies of the site
 */
public record SiteConfigAppliers(Map<ConfigKey<?>, Applier> settings, Runnable pluginsChanged) {

  public SiteConfigAppliers {
    settings = Map.copyOf(settings);
  }

  @FunctionalInterface
  public interface Applier {

    void apply(EbbConfig next, SwitchCause cause);
  }
}

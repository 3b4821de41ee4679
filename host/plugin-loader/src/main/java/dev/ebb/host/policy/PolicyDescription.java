package dev.ebb.host.policy;

import dev.ebb.host.config.key.SettingValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A policy that can be chosen.
 *
 * @param plugin the id of the plugin that offers it; null for the host's own, or if several do
 * @param version that plugin's version; null if there is none
 * @param settings its settings, by key
 * @param problem why it cannot be made with its configured settings; null if it can
 */
public record PolicyDescription(
    String name,
    @Nullable String plugin,
    @Nullable String version,
    List<SettingValue> settings,
    @Nullable String problem) {

  public PolicyDescription {
    settings = List.copyOf(settings);
  }
}

package dev.ebb.host.policy;

import dev.ebb.host.config.SettingValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A policy that can be chosen.
 *
 * @param name the name by which it is chosen
 * @param plugin the id of the plugin that offers it; null for the host's own, or if several do
 * @param version that plugin's version; null if there is none
 * @param settings what it can be told, by key
 * @param problem why it cannot be made as it is configured; null if it can
 */
public record PolicyDescription(
    String name,
    @Nullable String plugin,
    @Nullable String version,
    List<SettingValue> settings,
    @Nullable String problem) {

  /** Copies the list. */
  public PolicyDescription {
    settings = List.copyOf(settings);
  }
}

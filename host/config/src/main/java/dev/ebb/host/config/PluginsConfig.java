package dev.ebb.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * {@code ebb.plugins}.
 *
 * @param folder the drop-in folder
 * @param run the private folder for the copies that are loaded
 * @param reload whether changes in the folder are taken over while Ebb serves
 * @param rescan how often the folder is looked at if nothing says that it has changed
 * @param onRemoved what happens when the JAR of the active policy is removed
 * @param allow SHA-256 of the JARs that may be loaded, in hexadecimal; empty for all
 * @param allowWritableFolder whether others than their owner may be able to write folder and JARs
 */
public record PluginsConfig(
    Path folder,
    Path run,
    boolean reload,
    Duration rescan,
    OnRemoved onRemoved,
    List<String> allow,
    boolean allowWritableFolder) {

  /** Takes a copy of the list. */
  public PluginsConfig {
    allow = List.copyOf(allow);
  }

  PluginsConfig withFolder(Path other) {
    return new PluginsConfig(other, run, reload, rescan, onRemoved, allow, allowWritableFolder);
  }
}

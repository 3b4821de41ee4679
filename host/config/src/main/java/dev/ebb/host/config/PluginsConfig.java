package dev.ebb.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * {@code ebb.plugins}.
 *
 * @param folder the drop-in folder
 * @param run the private folder for the copies that are loaded
 * @param reload whether Ebb loads changes in the folder while it serves
 * @param rescan how often the folder is scanned without a notification of a change
 * @param onRemoved the action when the JAR of the active policy is removed
 * @param allow SHA-256 of the JARs that may be loaded, in hexadecimal; empty for all
 * @param allowWritableFolder whether folder and JARs may be writable by other users
 */
public record PluginsConfig(
    Path folder,
    Path run,
    boolean reload,
    Duration rescan,
    OnRemoved onRemoved,
    List<String> allow,
    boolean allowWritableFolder) {

  public PluginsConfig {
    allow = List.copyOf(allow);
  }

  PluginsConfig withFolder(Path other) {
    return new PluginsConfig(other, run, reload, rescan, onRemoved, allow, allowWritableFolder);
  }
}

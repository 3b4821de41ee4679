package dev.ebb.host.config;

import java.nio.file.Path;

/**
 * {@code ebb.plugins}.
 *
 * @param folder the drop-in folder
 * @param run the private folder for the copies that are loaded
 */
public record PluginsConfig(Path folder, Path run) {}

package dev.ebb.host.plugin;

import dev.ebb.host.config.PluginsConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * What a scan is to heed beside the JARs themselves.
 *
 * @param config what the user allows
 * @param barred hashes that are not to serve, each with the reason
 * @param unsettled files that are still being written
 */
record PluginRules(PluginsConfig config, Map<String, String> barred, Set<Path> unsettled) {}

package dev.ebb.host.plugin;

import dev.ebb.host.config.PluginsConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * The rules of a scan.
 *
 * @param barred hashes of JARs that must not serve, each with the reason
 */
record PluginRules(PluginsConfig config, Map<String, String> barred, Set<Path> unsettled) {}

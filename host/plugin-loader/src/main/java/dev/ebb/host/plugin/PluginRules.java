package dev.ebb.host.plugin;

import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.plugin.jar.TrustedSigners;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a scan.
 *
 * @param signers those who must have signed JARs; null if JARs need no signature
 * @param blocked hashes of JARs that must not serve, each with the reason
 */
record PluginRules(
    PluginsConfig config,
    @Nullable TrustedSigners signers,
    Map<String, String> blocked,
    Set<Path> unsettled) {}

package dev.ebb.host.plugin;

import com.typesafe.config.Config;

/**
 * One strategy that a loaded plugin offers. Holding it keeps the plugin's classes in memory.
 *
 * @param name the name by which users choose it
 * @param provider makes instances; plugin code, so call it through {@link PluginCall}
 * @param owner an object of a class of the plugin, for {@link PluginCall}: the provider, or the
 *     {@link dev.ebb.spi.PolicyPlugin} that lists it
 * @param defaults the plugin's own defaults for its settings
 * @param <P> the service type
 */
public record Strategy<P>(
    StrategyKind<P> kind,
    String name,
    String pluginId,
    P provider,
    Object owner,
    Config defaults) {}

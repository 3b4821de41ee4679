package dev.ebb.host.engine;

import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.wiring.Host;
import java.util.function.Consumer;

/**
 * What an {@link EngineAdmin} shows and changes.
 *
 * @param ebb the engine
 * @param host its configuration, plugins and policies
 * @param evictions the last entries that were evicted
 * @param usePolicy activates the named eviction policy on all devices
 */
public record ManagedEngine(
    Ebb ebb, Host host, EvictionLog evictions, Consumer<String> usePolicy) {}

package dev.ebb.host.engine;

import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.wiring.Host;

/**
 * What an {@link EngineAdmin} shows and changes.
 *
 * @param ebb the engine
 * @param host its configuration and plugins
 * @param policies its policies
 */
public record ManagedEngine(Ebb ebb, Host host, PolicyRuntime policies) {}

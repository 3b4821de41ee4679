package dev.ebb.host.engine;

import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.wiring.Host;

/**
 * The engine behind an {@link EngineAdmin}.
 *
 * @param host its configuration and plugins
 */
public record ManagedEngine(Ebb ebb, Host host, PolicyRuntime policies) {}

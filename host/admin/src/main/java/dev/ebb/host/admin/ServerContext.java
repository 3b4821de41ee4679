package dev.ebb.host.admin;

import dev.ebb.host.resp.RespServer;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.wiring.Host;

/**
 * The parts of a server that operators can inspect.
 *
 * @param host plugins, policies and the configuration as it was read
 * @param resp the server that clients connect to
 * @param runtime the policies
 */
public record ServerContext(Host host, ObjectStore store, RespServer resp, PolicyRuntime runtime) {}

package dev.ebb.host.admin;

import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.swap.PluginReloads;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.wiring.Host;

/**
 * The parts of a serving process that operators look at.
 *
 * @param host plugins, policies and the configuration as it was read
 * @param store the values
 * @param resp the clients' door
 * @param config what can be changed while it runs
 * @param evictions what has left, with its log
 * @param shadows the policies that run beside the one in force
 * @param swaps the policy in force, and those before
 * @param rules which policy ought to be
 * @param reloads takes over what is in the drop-in folder
 */
public record ServerContext(
    Host host,
    ObjectStore store,
    RespServer resp,
    RuntimeConfig config,
    EvictionSource evictions,
    Shadows shadows,
    PolicySwaps swaps,
    Rules rules,
    PluginReloads reloads) {}

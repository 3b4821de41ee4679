package dev.ebb.host.admin;

import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.wiring.Host;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What operators see and change of any process that holds a cache: one that serves clients, or one
 * that an inference engine runs in.
 *
 * @param host plugins, policies and the configuration as it was read
 * @param config what can be changed while it runs
 * @param ready whether it takes new work
 * @param stats the whole process in one document
 * @param metrics its numbers
 * @param policy the name of the active policy
 * @param evictions what has left, with its log
 * @param pool the memory
 */
public record AdminContext(
    Host host,
    RuntimeConfig config,
    BooleanSupplier ready,
    Supplier<?> stats,
    MetricSource metrics,
    Supplier<String> policy,
    EvictionSource evictions,
    PoolOperations pool) {}

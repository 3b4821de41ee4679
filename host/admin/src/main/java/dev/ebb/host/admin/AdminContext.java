package dev.ebb.host.admin;

import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.wiring.Host;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What operators see and change of any process that holds a cache: a server, or a process that an
 * inference engine runs in.
 *
 * @param host plugins, policies and the configuration as it was read
 * @param runtime the policies, and what can be changed while it runs
 * @param ready whether it takes new work
 * @param stats the whole process in one document
 * @param metrics its numbers, without those of the policies
 * @param pool the memory
 */
public record AdminContext(
    Host host,
    PolicyRuntime runtime,
    BooleanSupplier ready,
    Supplier<?> stats,
    MetricSource metrics,
    PoolOperations pool) {}

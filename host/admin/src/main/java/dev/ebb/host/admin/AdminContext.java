package dev.ebb.host.admin;

import dev.ebb.host.admin.entries.EntryOperations;
import dev.ebb.host.admin.pool.PoolOperations;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.wiring.Host;
import java.util.function.Supplier;

/**
 * The parts of a process that operators can inspect and change: a server, or a process with an
 * embedded engine.
 *
 * @param host plugins, policies and the configuration as it was read
 * @param runtime the policies and the run-time configuration
 * @param health returns whether the process accepts new work
 * @param stats returns the statistics of the whole process
 * @param metrics the metrics, without policy metrics
 * @param pool operations on the memory pools
 * @param entries operations on cached entries
 */
record AdminContext(
    Host host,
    PolicyRuntime runtime,
    Supplier<HealthDocument> health,
    Supplier<?> stats,
    MetricSource metrics,
    PoolOperations pool,
    EntryOperations entries) {}

package dev.ebb.host.admin;

import dev.ebb.host.admin.advice.Advisor;
import dev.ebb.host.admin.advice.Facts;
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
 * @param advisor takes the facts once a second
 */
record AdminContext(
    Host host,
    PolicyRuntime runtime,
    Supplier<HealthDocument> health,
    Advisor advisor,
    Supplier<Facts> facts,
    Supplier<?> stats,
    MetricSource metrics,
    PoolOperations pool,
    EntryOperations entries) {}

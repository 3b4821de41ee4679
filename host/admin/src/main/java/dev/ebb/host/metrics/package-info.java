/**
 * The process in numbers for Prometheus: one catalogue of metrics, the same for every policy.
 *
 * <p>{@link dev.ebb.host.metrics.Metrics} knows the catalogue and the format; whoever has numbers
 * writes them into a {@link dev.ebb.host.metrics.MetricSink} when they are asked for, so that
 * counting costs the hot path nothing more.
 */
@NullMarked
package dev.ebb.host.metrics;

import org.jspecify.annotations.NullMarked;

/**
 * Metrics for Prometheus: one catalogue, the same for every policy.
 *
 * <p>{@link dev.ebb.host.metrics.Metrics} knows the catalogue and the format. Sources write their
 * values to a {@link dev.ebb.host.metrics.MetricSink} only when scraped, which adds no cost to the
 * hot path.
 */
@NullMarked
package dev.ebb.host.metrics;

import org.jspecify.annotations.NullMarked;

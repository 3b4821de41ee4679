/**
 * Metrics for Prometheus: one catalogue, the same for every policy.
 *
 * <p>The resource {@code metrics.txt} declares them. Sources write their values to a {@link
 * dev.ebb.host.metrics.MetricSink} only when scraped, which adds no cost to the hot path.
 */
package dev.ebb.host.metrics;

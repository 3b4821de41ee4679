/**
 * Spans of requests, which an OpenTelemetry collector receives by OTLP over HTTP.
 *
 * <p>{@link dev.ebb.host.tracing.Tracing} is the entry point.
 */
package dev.ebb.host.tracing;

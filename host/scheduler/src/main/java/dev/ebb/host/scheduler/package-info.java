/**
 * Continuous batching for any inference engine: admission by priority and tenant, chunked prefill
 * with a token budget, and preemption. Single-threaded, with the caller's clock, so that every run
 * can be replayed.
 *
 * <p>{@link dev.ebb.host.scheduler.Scheduler} decides what each step computes. {@link
 * dev.ebb.host.scheduler.SchedulerLoop} drives a {@link dev.ebb.host.scheduler.BatchEngine} with
 * it. May depend on {@code spi} only.
 */
@NullMarked
package dev.ebb.host.scheduler;

import org.jspecify.annotations.NullMarked;

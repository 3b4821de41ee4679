package dev.ebb.host.scheduler;

/**
 * Adjusts how many requests run at a time to the pressure on the memory. With fewer running
 * requests, more memory is left for cached prefixes, so that fewer of them are computed again. A
 * lower limit preempts nothing: it takes effect as running requests end.
 *
 * <p>The scheduler asks once in an interval, on its thread, if its memory reports the {@link
 * SchedulerMemory#pressure}.
 */
@FunctionalInterface
public interface BatchSizeController {

  /** Always allows {@link SchedulerOptions#maxRunning} requests. */
  BatchSizeController FIXED = seen -> seen.decide(seen.most(), "the batch size is fixed");

  /** Decides on the limit until the next call. */
  BatchSizeDecision next(BatchObservation seen);
}

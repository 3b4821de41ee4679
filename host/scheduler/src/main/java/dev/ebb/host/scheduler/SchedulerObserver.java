package dev.ebb.host.scheduler;

/**
 * Receives what a scheduler does, for metrics and statistics. Called on the scheduler's thread, in
 * the middle of its work, so it must be quick and must not call the scheduler.
 */
public interface SchedulerObserver {

  /** Ignores everything. */
  SchedulerObserver NONE = new SchedulerObserver() {};

  /**
   * Receives the numbers of requests at the beginning of a step.
   *
   * @param queued requests that wait for their first admission
   * @param limit requests that may run at a time
   */
  default void step(int running, int queued, int preempted, int limit) {}

  /** Receives the first admission of a request, and the time that it has waited. */
  default void admitted(ScheduledRequest<?> request, long nanos) {}

  /** Receives a preemption. */
  default void preempted(ScheduledRequest<?> request) {}

  /**
   * Receives an output token.
   *
   * @param nanos the time since the request was submitted for its first token, since the previous
   *     token for the others
   */
  default void generated(ScheduledRequest<?> request, long nanos) {}

  /** Receives a decision about the batch size, also one that changes nothing. */
  default void decided(BatchSizeDecision decision) {}

  /** Receives the end of a request. */
  default void ended(ScheduledRequest<?> request) {}
}

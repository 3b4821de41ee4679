package dev.ebb.host.scheduler;

/** An engine, real or simulated, that {@link SchedulerLoop} drives on one thread. */
public interface BatchEngine<P> {

  /** Returns the time in nanoseconds, which never goes back. */
  long now();

  /** Submits the requests that have arrived, and cancels those whose clients are gone. */
  void receive(Scheduler<P> scheduler);

  /**
   * Computes a step. The engine reports final tokens to {@link Batch#finish} and failures to {@link
   * Batch#fail}. An exception ends the loop.
   */
  void compute(Batch<P> batch);

  /**
   * Waits while nothing can be computed, until a request arrives or is cancelled. If others use the
   * memory too, the wait should be short, because they can free it at any time.
   *
   * @param nanos the longest useful wait: until a request exceeds the queue timeout
   * @return false to end the loop
   */
  boolean await(long nanos);
}

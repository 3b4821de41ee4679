package dev.ebb.host.scheduler;

/** The state of a request in the scheduler. */
public enum SchedulingState {
  /** In the queue, not admitted yet. */
  WAITING,
  /** Has memory, and is part of a step whenever the token budget allows. */
  RUNNING,
  /** Was running, has lost its memory, and waits to be admitted again. */
  PREEMPTED,
  /** Finished, refused, cancelled or failed. */
  ENDED
}

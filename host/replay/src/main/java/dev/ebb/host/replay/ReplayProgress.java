package dev.ebb.host.replay;

import dev.ebb.host.trace.DecodedTrace;

/** Receives the progress of a replay. Called from several threads. */
@FunctionalInterface
public interface ReplayProgress {

  /**
   * Reports progress.
   *
   * @param total units in all, 0 if not known
   */
  void at(Phase phase, double done, double total);

  /** Reports a run of a trace in memory that has ended. */
  default void ended(ReplayResult run) {}

  /** Returns what reports the decoding of a trace. */
  default DecodedTrace.Progress decoding() {
    return (requests, fraction) ->
        at(
            Phase.DECODING,
            Double.isNaN(fraction) ? requests : fraction,
            Double.isNaN(fraction) ? 0 : 1);
  }

  /** The phase of a replay. */
  enum Phase {
    /** Reading the trace; done is a fraction of 1, or a number of requests if the total is 0. */
    DECODING,
    /** Generating a trace; done is a fraction of 1. */
    GENERATING,
    /** Replaying; done counts block references over all runs. */
    REPLAYING
  }
}

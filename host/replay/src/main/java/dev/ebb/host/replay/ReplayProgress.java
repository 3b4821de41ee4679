package dev.ebb.host.replay;

/** Receives the progress of a replay. Called from several threads. */
@FunctionalInterface
public interface ReplayProgress {

  /**
   * Reports progress.
   *
   * @param phase the current phase
   * @param done units done so far
   * @param total units in all, 0 if not known
   */
  void at(Phase phase, double done, double total);

  /** The phase of a replay. */
  enum Phase {
    /** Reading the trace; done is a fraction of 1, or a number of requests if the total is 0. */
    DECODING,
    /** Replaying; done counts block references over all runs. */
    REPLAYING
  }
}

package dev.ebb.host.replay;

/** Told how a replay gets on. Called from several threads. */
@FunctionalInterface
public interface ReplayProgress {

  /**
   * A little more is done.
   *
   * @param phase what is being done
   * @param done units done so far
   * @param total units in all, 0 if not known
   */
  void at(Phase phase, double done, double total);

  /** What is being done. */
  enum Phase {
    /** Reading the trace; done is a fraction of 1, or a number of requests if the total is 0. */
    DECODING,
    /** Replaying; done counts block references over all runs. */
    REPLAYING
  }
}

package dev.ebb.host.loadgen;

/** Receives the progress of a run. */
@FunctionalInterface
public interface BenchProgress {

  /** The phase of a run. */
  enum Phase {
    /** SETs every key once. */
    FILLING,
    /** The load runs, but is not counted. */
    WARMING_UP,
    /** The load is measured. */
    MEASURING
  }

  /**
   * Called several times a second.
   *
   * @param seconds since the phase began
   * @param requests answered in the phase
   * @param bytes of values read and written in the phase
   */
  void at(Phase phase, double seconds, long requests, long bytes);
}

package dev.ebb.host.loadgen;

/** Hears how a run goes. */
@FunctionalInterface
public interface BenchProgress {

  /** What a run is doing. */
  enum Phase {
    /** SETs every key once. */
    FILLING,
    /** The load runs, and is not counted. */
    WARMING_UP,
    /** The load is measured. */
    MEASURING
  }

  /**
   * Called several times a second.
   *
   * @param phase what is being done
   * @param seconds since the phase began
   * @param requests answered in the phase
   * @param bytes of values read and written in the phase
   */
  void at(Phase phase, double seconds, long requests, long bytes);
}

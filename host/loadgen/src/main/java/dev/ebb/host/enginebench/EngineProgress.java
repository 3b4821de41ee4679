package dev.ebb.host.enginebench;

/** Receives the progress of a measurement. */
@FunctionalInterface
public interface EngineProgress {

  /**
   * Called several times a second.
   *
   * @param answered requests with an answer or an error
   * @param errors of these, those with an error
   * @param tokens generated tokens of complete answers
   */
  void at(double seconds, long answered, long errors, long requests, long tokens);
}

package dev.ebb.host.enginebench;

/** Receives the progress of a measurement. */
@FunctionalInterface
public interface EngineProgress {

  /**
   * The state of all requests.
   *
   * @param done requests with an answer or an error
   * @param errors of these, those with an error
   * @param waiting requests that were sent and have no text yet: the server queues or prefills them
   * @param answering requests whose answer has begun
   * @param requests all requests of the load
   * @param tokens generated tokens of complete answers
   */
  record State(
      double seconds,
      long done,
      long errors,
      long waiting,
      long answering,
      long requests,
      long tokens) {}

  /** Called several times a second. */
  void at(State state);
}

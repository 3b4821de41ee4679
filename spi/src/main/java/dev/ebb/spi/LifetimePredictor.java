package dev.ebb.spi;

/**
 * Guesses how long an entry will go on being useful, and learns from what happens.
 *
 * <p>An instance is fed and asked by the policy that made it, on that policy's thread.
 *
 * @since 1.0.0
 */
public interface LifetimePredictor extends AutoCloseable {

  /**
   * Something happened to an entry. The entry's own times and counts show it already, so the time
   * since the previous use comes as a parameter.
   *
   * @param entry the entry
   * @param event what happened
   * @param idleSeconds time since the entry's previous use; 0 for {@link Event#INSERTED}
   */
  void observe(Entry entry, Event event, double idleSeconds);

  /**
   * Guesses the expected time for which the entry will still be useful, counted from now: the time
   * until its last use, 0 if it will not be used again. Must not allocate.
   *
   * @param entry a resident entry
   * @param out where the answer goes, with {@link Prediction#set}; it may hold another answer still
   */
  void predict(Entry entry, Prediction out);

  /** Frees what the predictor holds. A second call does nothing, and no other call follows. */
  @Override
  default void close() {}

  /**
   * What can be observed.
   *
   * @since 1.0.0
   */
  enum Event {
    /** It became resident. */
    INSERTED,
    /** It was used again. */
    REUSED,
    /**
     * It left without having been used again: its true life is unknown, and at least the idle time.
     */
    LEFT
  }
}

package dev.ebb.spi;

/**
 * Predicts how long an entry will remain useful, and learns from events.
 *
 * <p>The policy that made an instance feeds and queries it, on that policy's thread.
 *
 * @since 1.0.0
 */
public interface LifetimePredictor extends AutoCloseable {

  /**
   * Reports an event of an entry. The entry's own times and counts already include it, so the time
   * since the previous use comes as a parameter.
   *
   * @param entry the entry
   * @param event what happened
   * @param idleSeconds time since the entry's previous use; 0 for {@link Event#INSERTED}
   */
  void observe(Entry entry, Event event, double idleSeconds);

  /**
   * Predicts the time from now until the entry's last use; 0 if it will not be used again. Must not
   * allocate.
   *
   * @param entry a resident entry
   * @param out receives the answer through {@link Prediction#set}; it may still hold an earlier
   *     answer
   */
  void predict(Entry entry, Prediction out);

  /** Frees what the predictor holds. A second call does nothing, and no other call follows. */
  @Override
  default void close() {}

  /**
   * An event that a predictor observes.
   *
   * @since 1.0.0
   */
  enum Event {
    /** It became resident. */
    INSERTED,
    /** It was used again. */
    REUSED,
    /**
     * It was removed without having been used again: its true life is unknown, and at least the
     * idle time.
     */
    LEFT
  }
}

package dev.ebb.host.cache.index;

/**
 * Receives the cache's ordered, lossless stream of events: the eviction policy, a recorder, a
 * shadow.
 */
public interface EventConsumer {

  /** Receives the next events, which are valid during the call only. */
  void accept(EventBatch batch);

  /**
   * Returns whether the consumer wants BEGAN and ENDED. If no consumer does, the cache leaves them
   * out.
   */
  default boolean hearsRequests() {
    return true;
  }
}

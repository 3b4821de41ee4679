package dev.ebb.host.cache.index;

/**
 * Receives the cache's ordered, lossless stream of events: the eviction policy, a recorder, a
 * shadow.
 */
public interface EventConsumer {

  /**
   * Receives events.
   *
   * @param batch the next events; valid during the call only
   */
  void accept(EventBatch batch);

  /**
   * Returns whether the consumer wants BEGAN and ENDED. If no consumer does, the cache leaves them
   * out.
   *
   * @return true to receive them
   */
  default boolean hearsRequests() {
    return true;
  }
}

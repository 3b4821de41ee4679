package dev.ebb.host.cache.index;

/** Receives the cache's ordered, lossless stream of events: the policy, a recorder, a shadow. */
public interface EventConsumer {

  /** Receives the next events, which are valid during the call only. */
  void accept(EventBatch batch);

  /** Returns whether it wants BEGAN and ENDED, which the cache leaves out if no consumer does. */
  default boolean hearsRequests() {
    return true;
  }
}

package dev.ebb.host.engine.request;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.lifecycle.Closer;

/**
 * Publishes which pages an engine caches, with {@code ebb.server.kv-events.enabled = true}. The
 * engine finds it with {@code ServiceLoader}; the artifact {@code ebb-kvevents} has one.
 */
public interface PagePublisher {

  /**
   * Starts to publish.
   *
   * @param opened closes the publisher
   * @throws dev.ebb.host.errors.UserError if an address cannot be used
   */
  PageListener start(KvEventsConfig config, Closer opened);
}

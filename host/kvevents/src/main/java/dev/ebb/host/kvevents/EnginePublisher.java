package dev.ebb.host.kvevents;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.engine.request.PagePublisher;
import dev.ebb.host.lifecycle.Closer;

/** Publishes the events of an engine that has no server in its process. */
public final class EnginePublisher implements PagePublisher {

  /** Created by {@code ServiceLoader}. */
  public EnginePublisher() {}

  @Override
  public PageListener start(KvEventsConfig config, Closer opened) {
    return opened.add(KvEventPublisher.start(config.withoutSources())).pageListener();
  }
}

package dev.ebb.server.cli;

import dev.ebb.host.cli.CommandProvider;

/** Provides {@code ebb engine}. */
public final class EngineProvider implements CommandProvider {

  /** Called by the service loader. */
  public EngineProvider() {}

  @Override
  public Object command() {
    return new EngineCommand();
  }
}

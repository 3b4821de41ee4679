package dev.ebb.router.cli;

import dev.ebb.host.cli.CommandProvider;

/** Provides {@code ebb engine route}. */
public final class RouteProvider implements CommandProvider {

  /** Called by the service loader. */
  public RouteProvider() {}

  @Override
  public Object command() {
    return new EngineRouteCommand();
  }

  @Override
  public String parent() {
    return "engine";
  }
}

package dev.ebb.host.admin;

import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.plugin.PluginJson;
import dev.ebb.host.wiring.Host;

/** What the drop-in folder gave. */
final class PluginRoutes {

  private final Host host;

  PluginRoutes(Host host) {
    this.host = host;
  }

  void addTo(Routes routes) {
    routes.add("GET", "/api/v1/plugins", this::list);
  }

  private Reply list(Call call) {
    call.query();
    return Reply.written(PluginJson.of(host.config().plugins().folder(), host.plugins().reports()));
  }
}

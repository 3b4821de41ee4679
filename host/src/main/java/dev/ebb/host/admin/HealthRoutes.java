package dev.ebb.host.admin;

import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.resp.RespServer;
import java.util.Map;

/** For whoever restarts the process, or sends it clients. Neither needs a token. */
final class HealthRoutes {

  private final RespServer resp;

  HealthRoutes(RespServer resp) {
    this.resp = resp;
  }

  void addTo(Routes routes) {
    routes.open("/health/live", call -> Reply.json(Map.of("status", "live")));
    routes.open("/health/ready", this::ready);
  }

  private Reply ready(Call call) {
    return resp.stats().accepting()
        ? Reply.json(Map.of("status", "ready"))
        : Reply.json(503, Map.of("status", "draining"));
  }
}

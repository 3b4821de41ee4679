package dev.ebb.host.admin;

import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.metrics.Metrics;
import java.util.List;
import java.util.Map;

/** Routes of every process: health and metrics. */
final class CommonRoutes implements AutoCloseable {

  private final AdminContext process;
  private final Metrics metrics;

  CommonRoutes(AdminContext process) {
    this.process = process;
    metrics = new Metrics(List.of(process.metrics(), new PolicyMetrics(process.runtime())));
  }

  void addTo(Routes routes) {
    routes.open("/health/live", request -> Reply.json(Map.of("status", "live")));
    routes.open("/health/ready", this::ready);
    routes.add("GET", "/metrics", request -> Reply.text(Metrics.TYPE, metrics.scrape()));
    routes.add("GET", "/api/v1/stats", this::stats);
  }

  // Supervisors and load balancers call this without a token.
  private Reply ready(ServerRequest request) {
    return process.ready().getAsBoolean()
        ? Reply.json(Map.of("status", "ready"))
        : Reply.json(503, Map.of("status", "draining"));
  }

  private Reply stats(ServerRequest request) {
    request.query();
    return Reply.json(process.stats().get());
  }

  @Override
  public void close() {
    metrics.close();
  }
}
